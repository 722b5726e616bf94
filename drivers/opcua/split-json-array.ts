const WHITE_SPACE = /^[ \t\n\r]*$/;

/**
 * Returns the texts of the elements of a JSON array, each with its white space; what they are is not checked.
 *
 * @returns undefined when the text is no array, or its brackets do not match
 */
export function splitJsonArray(text: string): readonly string[] | undefined {
  const trimmed = text.trim();
  if (!trimmed.startsWith('[') || !trimmed.endsWith(']')) return undefined;
  const elements: string[] = [];
  let depth = 0;
  let start = 1;
  let isInText = false;
  for (let at = 0; at < trimmed.length; at += 1) {
    const character = trimmed[at];
    if (isInText) {
      if (character === '\\') at += 1;
      else if (character === '"') isInText = false;
    } else if (character === '"') isInText = true;
    else if (character === '[' || character === '{') depth += 1;
    else if (character === ']' || character === '}') {
      depth -= 1;
      // The end of the array has to be that of the text.
      if (depth === 0 && at !== trimmed.length - 1) return undefined;
    } else if (character === ',' && depth === 1) {
      elements.push(trimmed.slice(start, at));
      start = at + 1;
    }
  }
  if (depth !== 0 || isInText) return undefined;
  const last = trimmed.slice(start, -1);
  return elements.length === 0 && WHITE_SPACE.test(last) ? [] : [...elements, last];
}
