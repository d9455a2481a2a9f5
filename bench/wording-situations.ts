/**
 * Situations of an agent, each with the tool of ours that it calls for: said directly, in words that name what is to be done,
 * and indirectly, as it comes up in the middle of work.
 */

export interface Situation {
  readonly text: string;
  readonly tool: string;
  readonly kind: 'direct' | 'indirect';
}

/** Those that the tools of the search surface are for. */
const onSearch: Readonly<Record<string, readonly [direct: string, indirect: string]>> = {
  tool_discovery: [
    `find a tool that can send an e-mail
search for tools by what I need
look for something that creates an issue in a repository
which tool converts a PDF into text
find tools for working with calendar events
search the available tools for one that queries a database
I need a tool to take a screenshot of a web page
discover which tool resizes pictures
find two things: a tool for weather and one for maps
search tools with other words than before`,
    `somebody asked me to book a meeting room and I have nothing for that
the customer wants an invoice, how do I get that done here
nothing found yet, try it in different words
none of the functions I was given can translate a text
I must post something to the team chat
the user wants to know the weather in Oslo tomorrow
there is a bug report to be filed and I do not know the name of the function
get me at the files of this computer
I have a need but no key yet
I would like to restart a pod in the cluster`,
  ],
  tool_execute: [
    `call a tool by its key
run the tool forge:create_issue with these arguments
execute what I found with title and body
call the tool team-chat:post_message
I know the key and want to run it
invoke a single tool with an object of arguments
perform the call with the toolKey from the answer
execute postgres:query
send the arguments to the tool and give me its own result
run one tool once`,
    `found it, now do it
the search gave me a key, what comes next
I have everything together: the key, the owner, the repo and the title
go ahead and create that event, the key is dayplan:create_event
use it again with another value
the parameters are clear, let us do it for real
do it now with city set to Paris
try the same call once more with the corrected argument
just one thing to be done, and I already know by which tool
the user said yes, so carry it out`,
  ],
  tool_capabilities: [
    `what can this gateway do at all
give me an overview of all servers and categories
how many tools are there and of which kinds
which kinds of tools exist here
show what is available in general
list the categories of tools with counts
what servers are there and what are they for
overview of what is possible
what is in the category databases
which abilities does the server forge have`,
    `I am new here and do not know where to begin
I have no idea what to search for
the user asks: what are you able to do for me
tell me roughly what I am connected to
is there anything for payments here at all
before I plan anything I want to know the whole range
what sort of things could I offer to the user
every search was in vain, perhaps I should see what there is
how large is all this
what areas are covered`,
  ],
  tool_info: [
    `which parameters does it take
show the full schema of a tool
describe the tool forge:merge_pull_request
what does this tool do exactly
get the input schema and the output schema
details about one tool before calling it
what is the definition of postbox:send_email
which arguments are required and which are optional
explain one tool to me in full
look up the schema first`,
    `I am not sure what to pass as the date
the call was refused because an argument is wrong, what does it expect
is the limit a number or a text
the short line left out some of its parameters
I want to be sure that it only reads before I use it
what would come back from it
may I leave out the folder
which values are allowed for the state
I know its key but not how it is used
does it overwrite what is there, or does it refuse`,
  ],
  call_tool_chain: [
    `run a program that calls several tools
write JavaScript that loops over the results
call many tools in one go and return only the sum
do this for fifty files and only keep those with errors
run code that joins the answers of three servers
execute a script with several calls in parallel
filter a large result in code before I read it
run TypeScript against the servers
combine several calls into one step
loop over all open issues and add a label to each`,
    `the list has two thousand rows and I only want the five largest
the first answer is needed as the input of ten others
it would take me thirty calls to do that one by one
I do not want to read all of it, only how many there are
compare every customer of the one system with those of the other
for each of the channels, get the latest message and then count the words
fetch all the pages until there is no next one
do the same for every repository in the list
copy everything from here to there, skipping what exists
only the average matters, not the single values`,
  ],
};

/** Those that only the full surface lists a tool for. */
const onFull: Readonly<Record<string, readonly [direct: string, indirect: string]>> = {
  list_tools_meta: [
    `list every tool page by page
all tools with their first sentence
go through the complete list of tools`,
    `I want to see everything there is, not only what fits
the next page of tools, please
which ones are used most`,
  ],
  recommend_tools: [
    `recommend the best tool for this task
which few tools fit this task best, and why
suggest three tools with reasons`,
    `I cannot decide between them, what would you take
give me the reasons for choosing one
what is best for summing up a long report`,
  ],
  get_tool_alternatives: [
    `alternatives to this tool
another tool for the same purpose
what other tool does the same as forge:search_code`,
    `it keeps failing, what else could do it
the server is down, is there a replacement
something like this one, but of another server`,
  ],
  get_tool_metrics: [
    `how often did this tool fail
latency and success rate of tools
metrics of a server's tools`,
    `which ones can I rely on
it feels slow, is it always so
what has been going wrong lately`,
  ],
  list_mcp_servers: [
    `list all servers with their state
which MCP servers are connected
is the server forge running`,
    `did something change since yesterday
one of them seems to be down, which
when was the last change of that server`,
  ],
  read_result: [
    `read on in a large result
show the next page of the result that was cut off
search for a text inside the stored result`,
    `I only got the beginning of the answer
the rest of that log, from line 500 on
it said there was more under a Next address`,
  ],
};

export const searchSituations: readonly Situation[] = situationsIn(onSearch);
export const fullSituations: readonly Situation[] = [...searchSituations, ...situationsIn(onFull)];

function situationsIn(lists: Readonly<Record<string, readonly [string, string]>>): Situation[] {
  return Object.entries(lists).flatMap(([tool, [direct, indirect]]) => [
    ...direct.split('\n').map((text) => ({ text, tool, kind: 'direct' as const })),
    ...indirect.split('\n').map((text) => ({ text, tool, kind: 'indirect' as const })),
  ]);
}
