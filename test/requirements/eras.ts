/** Promises about protocol eras, doors, fidelity and conformance; the scenarios cite these by their ids. */

import type { Requirement } from './requirement.ts';

/** Agents and servers of both eras, over every transport that each can have. */
const eras: readonly Requirement[] = [
  { id: 'ERA-01', sentence: 'Every agent lists the tools of every server, in a stable order.', source: 'doors' },
  { id: 'ERA-02', sentence: "Every agent calls every server's tools and gets their own results.", source: 'doors' },
  {
    id: 'ERA-03',
    sentence: 'Every report of progress arrives in order, before the answer, at its call.',
    source: 'doors',
  },
  { id: 'ERA-04', sentence: 'A call that its agent cancels is cancelled at the server.', source: 'doors, calls' },
  {
    id: 'ERA-05',
    sentence: 'Log messages reach an agent from the level it asked for, and no others.',
    source: 'doors',
  },
  {
    id: 'ERA-06',
    sentence: 'An elicitation reaches the agent and its answer the server, between all eras.',
    source: 'doors',
  },
  {
    id: 'ERA-07',
    sentence: 'Sampling reaches the agent and its answer the server, between all eras.',
    source: 'doors',
  },
  { id: 'ERA-08', sentence: 'A server that asks for roots gets those of the config.', source: 'links' },
  { id: 'ERA-09', sentence: 'An agent that cannot be asked is not asked, and the server hears so.', source: 'doors' },
  { id: 'ERA-10', sentence: 'Resources and templates are listed and read.', source: 'doors, resources' },
  { id: 'ERA-11', sentence: 'Prompts are listed and filled in.', source: 'doors, resources' },
  { id: 'ERA-12', sentence: 'Arguments of prompts and templates are completed.', source: 'doors, resources' },
  { id: 'ERA-13', sentence: 'An agent hears of updates of resources while it is subscribed.', source: 'doors' },
  {
    id: 'ERA-14',
    sentence: 'A changed list is told to every listening agent exactly once.',
    source: 'links, resources',
  },
  { id: 'ERA-15', sentence: 'A change that is none is not passed on.', source: 'reliability' },
  { id: 'ERA-16', sentence: 'An update of a resource is told once to agents of both eras at once.', source: 'doors' },
  { id: 'ERA-17', sentence: 'A change is told at the doors that show it and at no others.', source: 'resources' },
  {
    id: 'ERA-18',
    sentence: 'A modern agent hears only of what it asked for, tagged with its request.',
    source: 'protocol',
  },
  { id: 'ERA-19', sentence: "A subscription outlives the server's process or session.", source: 'links' },
  {
    id: 'ERA-20',
    sentence: 'A question becomes input_required, and the call goes on with the answer.',
    source: 'doors',
  },
  { id: 'ERA-21', sentence: 'A resumed call that its agent closes is cancelled at the server.', source: 'calls' },
  { id: 'ERA-22', sentence: 'A question that the server takes back does not keep the call.', source: 'doors' },
  { id: 'ERA-23', sentence: 'Another principal cannot take up a waiting call.', source: 'reliability' },
  { id: 'ERA-24', sentence: 'A waiting call is taken up only by the same request.', source: 'protocol' },
  { id: 'ERA-25', sentence: 'A tampered or unknown request state is refused as invalid.', source: 'protocol' },
  { id: 'ERA-26', sentence: 'Without all answers the question is put again.', source: 'protocol' },
  { id: 'ERA-27', sentence: "An agent's time to answer is not counted against the server.", source: 'calls' },
  { id: 'ERA-28', sentence: 'Cancelling while being asked frees the question and the server.', source: 'doors' },
  { id: 'ERA-29', sentence: 'A gateway that closes ends waiting calls and tells their servers.', source: 'links' },
  {
    id: 'ERA-30',
    sentence: 'A question that either of two calls may own is refused with the reason.',
    source: 'links',
  },
  { id: 'ERA-31', sentence: 'A question that says whose it is reaches its own agent.', source: 'links' },
  { id: 'ERA-32', sentence: 'perSession gives each session a process that ends with it.', source: 'links' },
  { id: 'ERA-33', sentence: 'Without perSession all sessions share one process.', source: 'links' },
  {
    id: 'ERA-34',
    sentence: 'What happens before a legacy agent has opened its stream is told when it does.',
    source: 'resources',
  },
  {
    id: 'ERA-35',
    sentence: 'A tool called through tool_execute asks, reports and is cancelled like any other.',
    source: 'surfaces, calls',
  },
  {
    id: 'ERA-36',
    sentence: 'A subscription outlives forced refreshes, edits of its server, and switching it off and on.',
    source: 'links',
  },
  { id: 'ERA-37', sentence: 'Who unsubscribes at one door takes nothing from those at another.', source: 'doors' },
  { id: 'ERA-38', sentence: 'Updates of a perSession server are heard by its own session alone.', source: 'access' },
];

const doors: readonly Requirement[] = [
  {
    id: 'DOOR-01',
    sentence: 'Without a valid token every door answers 401 and says how to sign in.',
    source: 'access',
  },
  { id: 'DOOR-02', sentence: 'A foreign Host or Origin is refused.', source: 'access' },
  { id: 'DOOR-03', sentence: "The owner's door is closed to an agent's token.", source: 'doors, access' },
  { id: 'DOOR-04', sentence: 'DELETE ends a session.', source: 'doors' },
  {
    id: 'DOOR-05',
    sentence: 'A session is found only by its own principal at its own door.',
    source: 'reliability',
  },
  { id: 'DOOR-06', sentence: 'A batch of the legacy era is answered as one.', source: 'doors' },
  {
    id: 'DOOR-07',
    sentence: 'An answer whose stream was lost is delivered to the agent that comes back.',
    source: 'doors',
  },
  {
    id: 'DOOR-08',
    sentence: 'Losing the connection does not cancel a legacy call, and cancelling does.',
    source: 'doors',
  },
  { id: 'DOOR-09', sentence: 'A GET that does not accept an event stream is answered 406.', source: 'doors' },
  {
    id: 'DOOR-10',
    sentence: 'Every legacy version is agreed to, an unknown one answered with the latest.',
    source: 'doors',
  },
  { id: 'DOOR-11', sentence: 'An unsupported modern version is refused with those supported.', source: 'protocol' },
  { id: 'DOOR-12', sentence: 'An unknown method is -32601, with 404 in the modern era.', source: 'protocol' },
  { id: 'DOOR-13', sentence: 'A modern request whose headers and body disagree is refused.', source: 'protocol' },
  {
    id: 'DOOR-14',
    sentence: 'A body that cannot be taken is answered with the status that says why.',
    source: 'doors',
  },
  {
    id: 'DOOR-15',
    sentence: 'What is not there is not found, and what is not possible says what is.',
    source: 'doors',
  },
  { id: 'DOOR-16', sentence: 'A batch has a limit, and only versions that know batches have them.', source: 'doors' },
  {
    id: 'DOOR-17',
    sentence: 'While the gateway ends, a running call can be answered and cancelled, and nothing new begins.',
    source: 'doors, reliability',
  },
  {
    id: 'DOOR-18',
    sentence: 'A bridge may leave out what it cannot know, and what it sends must be right.',
    source: 'protocol',
  },
  { id: 'DOOR-19', sentence: 'A request to listen that accepts no event stream is answered 406.', source: 'protocol' },
  {
    id: 'DOOR-20',
    sentence: 'search shows the meta-tools, direct every tool under its public name.',
    source: 'surfaces',
  },
  {
    id: 'DOOR-21',
    sentence: 'A list is the same for every connection of a principal, at every time.',
    source: 'doors',
  },
  { id: 'DOOR-22', sentence: 'auto is direct while the catalog is small, and search beyond.', source: 'surfaces' },
  {
    id: 'DOOR-23',
    sentence: 'tool_discovery answers in three levels of detail, as text and as data.',
    source: 'surfaces',
  },
  {
    id: 'DOOR-24',
    sentence: "tool_execute gives the tool's own result, or says what to do.",
    source: 'surfaces, calls',
  },
  { id: 'DOOR-25', sentence: 'tool_capabilities counts truly.', source: 'surfaces' },
  { id: 'DOOR-26', sentence: 'tool_info describes a tool briefly or in full.', source: 'surfaces' },
  { id: 'DOOR-27', sentence: 'What a surface does not list is still answered when called.', source: 'surfaces' },
  { id: 'DOOR-28', sentence: 'The door of one server shows its tools under public or plain names.', source: 'doors' },
  { id: 'DOOR-29', sentence: 'Equal names of two servers lead each to its own.', source: 'doors, resources' },
  { id: 'DOOR-30', sentence: 'A name over 64 characters is shortened stably and reversibly.', source: 'doors' },
  { id: 'DOOR-31', sentence: 'names.separator is what stands between server and tool.', source: 'doors' },
  {
    id: 'DOOR-32',
    sentence: 'The owner adds, lists, refreshes and removes servers at a door of its own.',
    source: 'doors',
  },
  {
    id: 'DOOR-33',
    sentence: 'The gateway answers at the address that it printed, and listens on none that was not named.',
    source: 'access',
  },
];

const fidelity: readonly Requirement[] = [
  { id: 'FID-01', sentence: 'Tools are listed to the letter.', source: 'doors' },
  { id: 'FID-02', sentence: 'Results arrive with every member, known or not.', source: 'surfaces, calls' },
  { id: 'FID-03', sentence: 'Arguments reach the server as they are, whatever they are called.', source: 'calls' },
  { id: 'FID-04', sentence: '_meta reaches the server, less what belongs to one hop.', source: 'protocol' },
  { id: 'FID-05', sentence: 'Tools with awkward names are called under every name they have.', source: 'doors' },
  { id: 'FID-06', sentence: 'Progress comes under the very token that the agent gave.', source: 'doors' },
  { id: 'FID-07', sentence: 'Unknown notifications pass, and answers to nothing do no harm.', source: 'doors' },
  {
    id: 'FID-08',
    sentence: "A server's own error arrives with its message and data, in the agent's era.",
    source: 'doors',
  },
];

const conformance: readonly Requirement[] = [
  {
    id: 'CONF-01',
    sentence: 'All required server scenarios pass through the gateway, none worse than directly.',
    source: 'doors',
  },
  {
    id: 'CONF-02',
    sentence: 'The gateway passes every client scenario that needs no authorization.',
    source: 'protocol',
  },
  { id: 'CONF-03', sentence: 'With a token the transparent door shows and calls the same.', source: 'doors, access' },
];

export const eraRequirements: readonly Requirement[] = [...eras, ...doors, ...fidelity, ...conformance];
