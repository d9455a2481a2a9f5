/** Every limit of the stdio bridge: one name, one value, one reason each. Kept apart from the config, which would cost start-up time. */

const second = 1_000;
const mebibyte = 1_048_576;

export const bridgeLimits = Object.freeze({
  // From the agent.
  /** The longest message that is taken from the agent: the default limit of the gateway for a body. */
  lineBytes: 4 * mebibyte,
  /** Requests that are under way at once, those that wait for the gateway included; more are refused. */
  maxInFlight: 1_024,
  /** The bytes of all these requests together. */
  maxInFlightBytes: 64 * mebibyte,
  /** Notifications that wait to be passed on; with more, the agent is not read. */
  maxQueuedNotes: 1_024,
  /** Subscriptions that are remembered for a new session, as many as the gateway allows. */
  maxWatched: 1_000,
  /** A longer name is not repeated in a header: the gateway takes it from the body. */
  maxNameHeaderCharacters: 4_096,

  // From the gateway.
  /** The longest single message that is taken from the gateway. */
  answerBytes: 32 * mebibyte,
  /** How much is read of a refusal, for its sentence. */
  refusalBytes: 65_536,
  /** Output that waits for a slow agent; with more, the agent is not read either. */
  maxOutputBytes: 8 * mebibyte,
  /** Pause between a report of progress and the answer after it: the SDKs lose a report that they read together with the answer. */
  answerGapMs: 30,

  // Finding the gateway.
  /** How long requests wait for a gateway that was found but does not answer: longer than one takes to drain and go. */
  findMs: 45 * second,
  findPauseMs: Object.freeze({ first: 50, most: 1 * second }),
  /** Time for the question whether a gateway is ready. */
  probeMs: 2 * second,
  /** How often a gateway that went away while nothing was asked is looked for. */
  returnPauseMs: Object.freeze({ first: 250, most: 30 * second }),
  /** Tries to open a lost session again on gateways that go away meanwhile. */
  healTries: 3,

  // The session.
  /** How long the first request waits for the standing stream. */
  streamWaitMs: 1 * second,
  reopenPauseMs: Object.freeze({ first: 250, most: 30 * second }),
  /** Time for a notification, an answer of the agent or a step of the handshake to be taken. */
  noteMs: 10 * second,
  /** A cancellation can overtake its request on the way: it is said again while the request goes on. */
  cancelRepeatMs: 250,
  cancelTries: 4,

  // The end.
  /** Time for what is in flight when the agent has said its last. */
  drainMs: 5 * second,
  /** Time to end the session. */
  goodbyeMs: 1 * second,
  /** Time for the last output to be taken. */
  flushMs: 1 * second,
});
