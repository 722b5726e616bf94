/** A step into a value: the name of a field, or the index of an element. */
export type FieldStep = string | number;

const LONGEST = 1024;
const MOST_STEPS = 32;
const STEP = /(?:^|\.)([^.[\]]+)|\[(\d{1,9})\]/y;

/**
 * Parses the path of a field in a structure, such as `position.x` or `path[1].y`.
 *
 * @returns undefined when it is none
 */
export function parseFieldPath(text: string): readonly FieldStep[] | undefined {
  const steps: FieldStep[] = [];
  const scanner = new RegExp(STEP);
  if (text === '' || text.startsWith('.') || text.length > LONGEST) return undefined;
  for (let at = 0; at < text.length; at = scanner.lastIndex) {
    scanner.lastIndex = at;
    const [, name, index] = scanner.exec(text) ?? [];
    if (name === undefined && index === undefined) return undefined;
    steps.push(name ?? Number(index));
  }
  return steps.length <= MOST_STEPS ? steps : undefined;
}
