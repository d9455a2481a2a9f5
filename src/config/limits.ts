/**
 * Limits that more than one file keeps or that decide how much others may use up: time, memory, disk, queues. They are not settings.
 * A bound that belongs to one algorithm is a named constant beside it.
 */

const second = 1_000;
const minute = 60 * second;
const kibibyte = 1_024;
const mebibyte = 1_024 * kibibyte;

export const limits = Object.freeze({
  // The config file.
  /** A config file larger than this is refused unread. */
  maxConfigBytes: mebibyte,
  /** Objects and lists nested deeper than this in the config file are refused. */
  maxConfigDepth: 32,
  /** Keys, values and signs of JSON in one file of a person or another program. */
  maxConfigParts: 1_000_000,
  /** Mistakes of one file that are reported; the rest is counted. */
  maxConfigIssues: 100,
  /** A change of the config file is read after it has been quiet this long: editors save in several steps. */
  configDebounceMs: 100,
  /** How often the config file is looked at where file system events do not arrive. */
  configPollMs: 2 * second,
  /** A config file of another agent larger than this is not read; some keep their history in it. */
  maxAgentFileBytes: 64 * mebibyte,

  // Listing what a server offers.
  /** Pages of one list that are followed before the walk is taken as endless. */
  maxPages: 200,
  /** Items of one list that are kept from one server. */
  maxItemsPerList: 20_000,
  /** Characters of JSON that are kept of all lists of one server together. */
  maxListedChars: 64 * mebibyte,
  /** Items that were left out, of one server, for which the reason is kept. */
  maxListWarnings: 20,
  /** Time for one whole list, all pages together. */
  listTimeoutMs: 30 * second,
  /** Servers that are listed for the first time at once after a start. */
  firstListConcurrency: 4,
  /** How long an agent's list waits for servers whose tools were never listed. */
  listWaitMs: 1_500,
  /** How long a request for one thing waits for a first listing that may bring it. */
  firstListWaitMs: 6 * second,
  /** Time to judge some of what a server offers; without a judgement nothing of it is taken. */
  judgeMs: minute,
  /** How long agents are reckoned to have the definition of a tool from before its last change. */
  renewedDefinitionMs: 24 * 60 * minute,
  /** Definitions that are handed to the thread that judges at once: copying them must not hold up others. */
  judgeAtOnce: 50,
  /** The thread that judges ends when it has had nothing to do for this time. */
  judgeIdleMs: 10 * second,
  /** Of things that a server no longer offers: how many are remembered with their words, and how many at all. */
  vanishedWordings: 2_000,
  vanishedPins: 20_000,
  /** Characters of those words, as JSON. */
  vanishedChars: 16 * mebibyte,
  /** Events about approvals of one server that wait to be written; the oldest make room. */
  unsavedPinEvents: 1_000,
  /** Change notices of one server within this time become one refresh. */
  listChangedCoalesceMs: 250,

  // Servers that are tried out before they are kept.
  /** Trials at once. */
  trials: 10,
  /** A trial that nobody decides ends after this time at the latest. */
  trialMs: 10 * minute,
  /** How long a trial waits for a page to stay with it, or to ask again. */
  trialGraceMs: 15 * second,
  /** How long one request stays with a trial: proxies cut those that are silent for a minute. */
  trialStayMs: 25 * second,

  // Links to servers.
  /** Time for the question that finds out which protocol era a server speaks. */
  probeTimeoutMs: 5 * second,
  /** How long the answer to that question is believed. */
  eraVerdictTtlMs: 24 * 60 * minute,
  /** Calls that run at once on one link where the server's own `maxConcurrent` is not set. */
  defaultMaxConcurrent: 16,
  /** Calls that wait for their turn on one link; more are refused. */
  maxQueuedCallsPerLink: 256,
  /** Characters of a server's own message that an error of ours repeats. */
  serverWordsChars: 4_000,
  /** Bytes kept from the end of a child's stderr. */
  stderrTailBytes: 64 * kibibyte,
  /** The longest message that is taken whole into memory; a longer one only where its long parts may stay on the disk. */
  wholeMessageBytes: 32 * mebibyte,
  /** Bytes that may wait to be read by a child; beyond it nothing more is written to it. */
  stdioUnreadBytes: 16 * mebibyte,
  /** Calls in a row that time out, without a word in between, before a link is checked and given up. */
  maxSilentTimeouts: 3,
  /** Questions of a server that one call may have open at once. */
  maxOpenAsksPerCall: 32,
  /** Time to hand over a message that nobody waits for: an answer to a server, or word that a call was given up. */
  tellTimeoutMs: 10 * second,
  /** Such messages to one server that may be under way at once; more are left out. */
  maxTellsAtOnce: 256,
  /** Waits between the tries of one connect. */
  retryStepsMs: Object.freeze([1 * second, 2 * second, 4 * second]),
  /** Share by which each wait is varied at random, so that servers do not come back in step. */
  retryJitter: 0.2,
  /** How long the circuit stays open the first, second and every further time. */
  breakerOpenStepsMs: Object.freeze([8 * second, 16 * second, 30 * second]),
  /** Time for a link or child to end by itself once it was asked to. */
  closeGraceMs: 2 * second,
  /** Time between the polite and the final signal to a child that did not end. */
  killGraceMs: 2 * second,

  // Secrets.
  /** Time for the keyring of the system, which may ask a person to unlock it. */
  keyringTimeoutMs: 20 * second,

  // Signing in to servers.
  /** Time for one question to an authorization server, or for a document that says how to sign in. */
  signInTimeoutMs: 15 * second,
  /** The longest answer to such a question. */
  signInAnswerBytes: 256 * kibibyte,
  /** A sign-in that nobody finishes ends after this time. */
  signInTtlMs: 10 * minute,
  /** Browsers whose sign-in is looked for in a shared store at once, and those that wait for it: anybody can send one. */
  signInLooks: 4,
  signInLookQueue: 64,
  /** How long a sign-in to a server that is no longer configured is kept after its last renewal. */
  unclaimedSignInMs: 30 * 24 * 60 * minute,
  /** Scopes that one sign-in asks for. */
  signInScopes: 100,
  /** How long before its expiry a token is renewed; a short-lived one is renewed after four fifths of its time. */
  tokenMarginMs: minute,
  /** A token that was renewed within this time and is refused is not renewed again: that would not help. */
  freshTokenMs: 5 * second,
  /** The least time between two requests to a server that waits for a sign-in. */
  signInRecheckMs: minute,
  /** Waits before a renewal that failed is tried again. */
  renewalStepsMs: Object.freeze([1 * second, 5 * second, 15 * second, 60 * second]),

  // Calls.
  /** A call ends after this time, however much progress it reports. */
  callHardMaxMs: 10 * minute,
  /** How long a call waits for an answer that the agent must give in a further request. */
  parkedCallTtlMs: 5 * minute,
  /** How long an agent can come back with what a modern server gave it to bring along. */
  sealedStateTtlMs: 60 * minute,
  /** Calls that may wait so at once. */
  maxParkedCalls: 256,
  /** Rounds of questions that one call may ask. */
  maxInputRounds: 8,
  /** A message of a server that is longer than this is put on disk while it arrives, not held in memory. */
  frameMemoryBytes: mebibyte,
  /** The longest single message that is read from a server at all. */
  maxMessageBytes: 256 * mebibyte,
  /** Disk space for all such messages together while they are worked on. */
  spoolBytes: 512 * mebibyte,
  /** A message on disk that nobody let go of is removed after this time. */
  spoolHoldMs: 15 * minute,
  /** Of a message on disk, a value longer than this stays there until it is asked for. */
  longValueBytes: 16 * kibibyte,
  /** Memory for a message that is on disk. */
  skeletonBytes: 16 * mebibyte,
  /** Content blocks of one result that is on disk. */
  maxContentBlocks: 20_000,
  /** Pictures and sound in one result that an agent is shown as they are, in base64; what is beyond is kept like other large results. */
  shownMediaBytes: 4 * mebibyte,
  /** The largest result that is kept to be used again. */
  reusedResultBytes: 256 * kibibyte,
  /** Bytes of all of them together, and how many there may be. */
  reusedBytes: 32 * mebibyte,
  reusedResults: 2_000,

  // Agent programs of the owner.
  /** Agent programs that run at once: they are large. */
  agentPrograms: 2,
  /** Runs of them that wait for their turn; more are refused. */
  agentProgramQueue: 16,

  // Approvals of calls.
  /** Calls that wait for approval at once: of one principal, and in all. */
  waitingApprovalsEach: 32,
  waitingApprovals: 256,
  /** Characters shown of the arguments of such a call, as JSON, and of what is sent beside them. */
  shownArgumentChars: 16_000,
  /** How long an approval for the session holds where an agent has none. */
  sessionApprovalMs: 60 * minute,
  /** Approvals for sessions that are remembered, and approvals for always; the oldest make room. */
  sessionApprovals: 10_000,
  lastingApprovals: 1_000,
  /** Single calls that were approved or refused and have not been made again yet. */
  answeredCalls: 1_000,
  /** How long notes about waiting calls outlive their gateway, because one that was cut off from the database may come back. */
  goneReplicaNotesMs: 30 * second,

  // Chains.
  /** Programs of agents that run at once, each in a thread of its own; they mostly wait for their calls. */
  chainThreads: 8,
  /** Programs that wait for a thread; more are refused. */
  chainQueue: 64,
  /** The share of one principal in both: half, so that something is left for others. */
  chainThreadsEach: 4,
  chainQueueEach: 32,
  /** Time before another try to start a thread, where one failed while others run. */
  chainStartRetryMs: second,
  /** The time that requests of all programs together take of one turn of the event loop before others come first. */
  chainTurnMs: 5,
  /** A thread without a program ends after this time; where others wait as well, all but a few of them sooner. */
  chainThreadIdleMs: 2 * minute,
  chainWarmThreads: 2,
  chainSpareThreadIdleMs: 10 * second,
  /** A program that did not stop at its deadline is ended from outside after this further time. */
  chainKillGraceMs: 100,
  /** The longest code that is read at all. */
  chainCodeChars: 256 * kibibyte,
  /** Calls of one program that are under way at once; the others wait for their turn. */
  chainCallsInFlight: 32,
  /** Questions of one program that are no tool calls: searches, schemas, values kept and loaded. */
  chainQuestions: 1_000,
  /** The longest JSON of one call or question. */
  chainRequestChars: 2 * mebibyte,
  /** Answers on their way to one program that it has not taken yet; with more, none of its requests is begun. */
  chainAnswerChars: 16 * mebibyte,
  /** Kept values that one program loads at once: they can be the largest answers, and it may have asked for many. */
  chainLoadsInFlight: 2,
  /** The JSON of all calls and questions of one program that wait for their answers. */
  chainWaitingChars: 16 * mebibyte,
  /** The longest JSON of a result; what an agent is shown of it is less. */
  chainResultChars: 16 * mebibyte,
  /** Sleeps and timers of one program at once. */
  chainTimers: 10_000,
  /** The longest single line of a program's log. */
  chainLogLineChars: 8 * kibibyte,
  /** Log lines of one program that are kept, however short they are. */
  chainLogLines: 10_000,
  /** The stack of a virtual machine; with more, a deep recursion would reach the end of the thread's own. */
  chainStackBytes: 256 * kibibyte,
  /** The heap of a thread, which is beside the memory of the virtual machine: the code, its lines, results on their way. */
  chainThreadHeapMb: 128,
  /** A thread whose virtual machines have grown beyond their usual size by this much together is replaced: its memory is given back at once. */
  chainThreadGrowthBytes: 16 * mebibyte,
  chainMachineUsualBytes: 4 * mebibyte,
  /** The largest result of a call, and the largest kept value, that a program is given at once; with little memory, less. */
  chainValueBytes: 8 * mebibyte,
  /** Values that one program may keep for later. */
  chainKeptValues: 50,
  /** Bytes of those together. */
  chainKeptBytes: 32 * mebibyte,
  /** Servers and tools of which a program can have the types at once. */
  chainTypeNames: 100,
  /** The least that the answer of a program may take: there must be room to say what happened. */
  chainLeastOutputBytes: 2_000,
  /** Bytes of the answer where a person runs the program by hand and gets all of the result. */
  chainOutputBytesByHand: 64 * mebibyte,
  /** How often an agent hears how many calls of its program are done. */
  chainProgressMs: 250,
  /** Time for calls of a program that has ended to end as well, so that they are counted before its answer. */
  chainSettleMs: second,

  // Resources and prompts.
  /** Resources, templates or prompts on one page of their list. */
  offersPerPage: 200,

  // Doors.
  /** An agent session without a request or open stream ends after this time. */
  sessionIdleMs: 15 * minute,
  /** Changes within this time are announced to agents as one. */
  changeWindowMs: 250,
  /** Sets of rights for which the view of one catalog is cached: names, counts, short lists. */
  rightsRemembered: 256,
  /** Resource subscriptions of one stream. */
  maxSubscriptionsPerStream: 1_000,
  /** The longest block of request headers. */
  maxHeaderBytes: 16 * kibibyte,
  /** Time for an agent to send its request headers. */
  headersTimeoutMs: 15 * second,
  /** Time before the pace of a request body counts. */
  bodyGraceMs: 5 * second,
  /** Time for an agent to send a whole request. */
  requestBodyTimeoutMs: 60 * second,
  /** Time that calls in flight get when the gateway stops. */
  drainGraceMs: 30 * second,
  /** Time that a gateway with others beside it still answers on connections that balancers keep open, when it stops. */
  keepAliveGraceMs: second / 2,
  /** A gateway that was started in the background ends itself this long after its last agent has left. */
  backgroundIdleExitMs: 10 * minute,

  /** How long it is believed that the disk can be written, or cannot. */
  diskLookMs: 5 * second,

  // Tokens and sign-ins.
  /** How long a token that was revoked or has expired is still listed. */
  endedTokenMs: 90 * 24 * 60 * minute,
  /** Unknown tokens that are looked up in a shared store, and those that are remembered as not there. */
  tokenLookupsPerMinute: 600,
  unknownTokens: 1_000,
  /** How often the last use of tokens is written down. */
  tokenUseWriteMs: minute,
  /** How long the gateway waits at most before it looks at the wall clock again for tokens that expire. */
  expiryLookMs: minute,
  /** A link to sign in with a browser can be used for this long. */
  signInCodeMs: 5 * minute,
  /** Such links that wait to be used. */
  maxSignInCodes: 16,
  /** A browser that asks for nothing is signed out after this time, and every browser after that one. */
  browserIdleMs: 12 * 60 * minute,
  browserMs: 7 * 24 * 60 * minute,
  /** Browsers that are signed in at once; the one that was quiet longest makes room. */
  maxBrowsers: 100,
  /** Addresses and principals whose requests are counted; those that were quiet longest make room. */
  maxCountedKeys: 10_000,
  /** Requests of every kind that a token may send for each call that it may make. */
  requestsPerCall: 10,
  /** Messages that a token may send beyond its requests at once: they may be the answers that the others wait for. */
  spareRequests: 64,
  /** Requests by front ends that may name somebody in their messages, until they do: of one sender, and of all together. */
  anonymousRequests: 32,
  anonymousRequestsInAll: 128,

  // Tokens of an issuer.
  /** Time for one question to the issuer, and the longest answer. */
  issuerTimeoutMs: 5 * second,
  issuerAnswerBytes: 256 * kibibyte,
  /** Keys of one issuer. */
  issuerKeys: 100,
  /** Keys are fetched again after this time. */
  issuerKeysFreshMs: 10 * minute,
  /** Where the issuer is away, keys that were fetched are used for this long. */
  issuerKeysStaleMs: 6 * 60 * minute,
  /** The least time between two requests to the issuer, whatever keys tokens name. */
  issuerAskMs: 30 * second,
  /** Tokens that are remembered, so that not every request has its signature checked. */
  issuerTokens: 5_000,
  /** People and rights that came in with such tokens; those whose tokens end first make room. */
  issuerBearers: 10_000,

  /** Secrets with names, and the bytes of each value. */
  maxSecrets: 1_000,
  maxSecretBytes: 65_536,

  /** The longest time a timer can wait: beyond it Node fires at once instead. */
  maxTimerMs: 2_147_483_647,
});
