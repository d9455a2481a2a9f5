/** Ways to word our tools and instructions, beside those in use. What a variant does not name stays as it is. */

export interface Variant {
  readonly name: string;
  /** By the tool's name; `{index}` stands for the capability index. */
  readonly descriptions: Readonly<Record<string, string>>;
  /** Left out: as they are. */
  readonly instructions?: string;
  /** True if parameters have no descriptions of their own. */
  readonly hasBareParameters?: boolean;
}

export const variants: readonly Variant[] = [
  {
    name: 'bare parameters',
    descriptions: {},
    hasBareParameters: true,
  },
  {
    name: 'terse',
    descriptions: {
      tool_discovery: '{index} Find a tool by what you need, one need per query.',
      tool_execute: 'Call one tool by its toolKey, with its arguments.',
      tool_capabilities: 'Overview: which kinds of tools and which servers there are.',
      tool_info: 'Which parameters a tool takes; "full": its schemas.',
      call_tool_chain:
        'Run a JavaScript program of several calls: `const r = await servers.SERVER.TOOL({…})`. Only what you `return` comes back.',
    },
    instructions:
      'Find a tool with tool_discovery, call it with tool_execute; for several calls, loops or large data write one call_tool_chain. Trouble says under STEPS what to do.',
  },
  {
    name: 'what it is, not when',
    descriptions: {
      tool_discovery:
        '{index} Say what you need in plain words, one need per query; call what you find with tool_execute. If nothing fits, use other words, or tool_capabilities.',
      tool_execute: "Call a tool by its toolKey, with its arguments as an object. The result is the tool's own.",
      tool_capabilities:
        'What there is at all: kinds of tools and servers, with counts. For when you do not know what to search for.',
      tool_info:
        'What a tool does and which parameters it takes. "full" gives its whole definition with the schemas, what was measured and alternatives.',
      call_tool_chain:
        'Run JavaScript or TypeScript that calls tools: for several calls, loops, filters, joins, or large results that you need not read. `const r = await servers.SERVER.TOOL({…})` gives data; also search("need"), info("server:tool"), types("server"), console.log. Only what you `return` comes back.',
    },
  },
  {
    name: 'when, and chains for each',
    descriptions: {
      call_tool_chain:
        'Use it to do the same for many items, or many calls at once: a JavaScript or TypeScript program that loops over every file, row or page, compares, filters, counts, and returns only a part. `await servers.SERVER.TOOL({…})` gives data; also search("need"), info("server:tool"), types("server"). Only what you `return` comes back.',
    },
  },
  {
    name: 'when, and chains for each, shorter',
    descriptions: {
      call_tool_chain:
        'Use it to do the same for many items: a JavaScript or TypeScript program that calls tools for every file, row or page, compares, filters, counts. `await servers.SERVER.TOOL({…})` gives data; also search("need"), info("server:tool"), types("server"). Only what you `return` comes back.',
    },
  },
  {
    name: 'when, shorter',
    descriptions: {
      tool_discovery:
        '{index} When you need a tool and have no key yet: say what you need, one need per query. Nothing found: use other words.',
      tool_execute: 'When you have a toolKey: runs that one tool now, with its arguments.',
      tool_capabilities:
        'When you do not know what to search for: an overview of what there is, by kind and by server.',
      tool_info:
        'When you are not sure how to call a tool: what it does, which parameters it takes, which values; "full": the schemas.',
      call_tool_chain:
        'To do the same for many items, or many calls at once: a JavaScript or TypeScript program that loops over every file, row or page, compares, filters, counts. `await servers.SERVER.TOOL({…})` gives data; also search("need"), info("server:tool"), types("server"). Only what you `return` comes back.',
    },
  },
  {
    name: 'verbs and their synonyms',
    descriptions: {
      tool_discovery:
        '{index} Find, search, look for a tool by what you need, in plain words, one need per query. Nothing found yet: try other words.',
      tool_execute:
        'Call, run, execute one tool now, by its toolKey and with its arguments; gives the result of that tool.',
      tool_capabilities:
        'Overview of everything that can be done here: all kinds of tools, servers and counts. Where to begin.',
      tool_info:
        'Describe one tool: what it does, its parameters, which are required, which values are allowed; "full" for the whole schema.',
      call_tool_chain:
        'Run code (JavaScript, TypeScript) that makes many calls: loop for each item, filter, join, count, keep only a part. `const r = await servers.SERVER.TOOL({…})`; search("need"), info("server:tool"). Only what you `return` comes back.',
    },
  },
  {
    name: 'steps',
    descriptions: {
      tool_discovery:
        '{index} Step 1: say what you need in plain words, one need per query, and get tools with their keys.',
      tool_capabilities: 'Before step 1, if you do not know what there is: an overview of kinds of tools and servers.',
      tool_info: 'Between the steps, if in doubt: what a tool does and which parameters it takes; "full": its schemas.',
      tool_execute: 'Step 2: call a tool that you found, by its toolKey and with its arguments.',
      call_tool_chain:
        'Step 2 for many calls at once: a JavaScript program with loops and filters. `const r = await servers.SERVER.TOOL({…})`; search("need"), info("server:tool"). Only what you `return` comes back.',
    },
  },
  {
    name: 'short, with when',
    descriptions: {
      tool_discovery: '{index} Find a tool: say what you need, one need per query. Nothing found: other words.',
      tool_execute: 'Call one tool, once you have its toolKey. The result is its own.',
      tool_capabilities:
        'Overview of what there is at all, by kind and server. For when you do not know what to search for.',
      tool_info: 'How to call a tool: which parameters it takes and what they may be. "full": the schemas.',
      call_tool_chain:
        'Many calls in one program (JavaScript or TypeScript): loops, filters, joins, only a part of large results. `const r = await servers.SERVER.TOOL({…})`; search("need"), info("server:tool"). Only what you `return` comes back.',
    },
    instructions:
      'The tools of many MCP servers, not listed here. Find one with tool_discovery, one need per query; call it with tool_execute, by its toolKey. Several calls, loops or large data: one call_tool_chain. If a call fails, its answer says under STEPS what to do.',
  },
];
