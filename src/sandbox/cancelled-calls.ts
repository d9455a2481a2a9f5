/** The note about calls of a program that were under way when it ended: the same words from inside and outside. */

export function cancelledCalls(count: number): string {
  return count === 1
    ? 'One call was still under way when the program ended, and was cancelled: await every call.'
    : `${count} calls were still under way when the program ended, and were cancelled: await every call.`;
}
