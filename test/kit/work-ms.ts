/** How much work something is: the time of the processor in this thread, which no other program on the machine lengthens. */

export function workMs(act: () => void): number {
  const before = process.threadCpuUsage();
  act();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
