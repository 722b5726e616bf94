type ExactParse = (
  text: string,
  reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown;

/** Parses JSON; a whole number that a double cannot hold becomes its text, with every digit. */
export function parseExactly(text: string): unknown {
  // Reviving each value is slow, and hardly any response contains such a number.
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  return (JSON.parse as ExactParse)(text, (_key, value, { source }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '')
      ? source
      : value,
  );
}
