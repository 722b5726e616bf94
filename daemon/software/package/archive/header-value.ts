/** A header of the form `value; attribute=text; directive:="text"` (OSGi Core, 3.2.3), with a single clause. */
interface HeaderValue {
  readonly value: string;
  /** Attributes and directives by name; the name of a directive includes its colon: `singleton:`. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Reads a header with one clause; returns undefined when the text is not one. */
export function findHeaderValue(text: string): HeaderValue | undefined {
  const [value = '', ...others] = splitOutsideQuotes(text);
  if (value === '') return undefined;
  const parameters = new Map<string, string>();
  for (const part of others) {
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(equals, 0)).trim();
    if (name === '' || parameters.has(name)) return undefined;
    const argument = part.slice(equals + 1).trim();
    const isQuoted = argument.length > 1 && argument.startsWith('"') && argument.endsWith('"');
    parameters.set(name, isQuoted ? argument.slice(1, -1) : argument);
  }
  return { value, parameters };
}

function splitOutsideQuotes(text: string): readonly string[] {
  const parts: string[] = [];
  let isQuoted = false;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '"') isQuoted = !isQuoted;
    if (text[index] !== ';' || isQuoted) continue;
    parts.push(text.slice(start, index).trim());
    start = index + 1;
  }
  parts.push(text.slice(start).trim());
  return parts;
}
