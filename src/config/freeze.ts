/** Makes a value unchangeable all the way down, maps included. */

/** Freezes objects, lists and maps, and everything in them, in place. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  if (value instanceof Map) {
    for (const item of value.values()) deepFreeze(item);
    refuseChanges(value);
  } else {
    for (const item of Object.values(value)) deepFreeze(item);
  }
  return Object.freeze(value);
}

/** `Object.freeze` alone leaves the entries of a map open. Hidden own methods keep the map equal to an ordinary one. */
function refuseChanges(map: Map<unknown, unknown>): void {
  const refuse = () => {
    throw new TypeError('This map is part of the configuration and cannot be changed.');
  };
  for (const method of ['set', 'delete', 'clear']) Object.defineProperty(map, method, { value: refuse });
}
