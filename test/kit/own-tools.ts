/** The gateway's own tools on its surfaces, in their order: written down here, because agents rely on it. */

export const onSearch: readonly string[] = [
  'tool_discovery',
  'tool_execute',
  'tool_capabilities',
  'tool_info',
  'call_tool_chain',
];

export const onFull: readonly string[] = [
  ...onSearch,
  'list_tools_meta',
  'recommend_tools',
  'get_tool_alternatives',
  'get_tool_metrics',
  'reset_tool_metrics',
  'list_mcp_servers',
  'read_result',
];

export const onCode: readonly string[] = ['tool_discovery', 'call_tool_chain'];

/** Other agents' names for some of them: answered, and listed nowhere. */
export const listedNowhere: readonly string[] = ['search_tools', 'call_tool', 'get_tool_schema', 'list_tools'];
