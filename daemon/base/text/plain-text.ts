// A byte order mark belongs to the text: who does not want it removes it.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Returns the text that bytes encode as UTF-8; undefined when they are no UTF-8, which is never replaced. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns whether every program stores and passes on a text as it is: without NUL and half surrogate pairs. */
export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/**
 * A character without a shape of its own: control and format characters, among them those that turn the direction of a text
 * around, tags, line and paragraph separators, private use, unassigned, and halves of surrogate pairs. With one, two names
 * that differ look the same.
 */
export const HIDDEN_CHARACTER = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
