// A byte order mark belongs to the text; callers remove it if necessary.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8; undefined for invalid bytes, which are never replaced. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns true if programs store and pass on a text unchanged: without NUL and unpaired surrogates. */
export function isPlainText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/**
 * A character without a shape of its own: control and format characters, among them those that turn the direction of a text
 * around, tags, line and paragraph separators, private use, unassigned, and halves of surrogate pairs. With one, two names
 * that differ look the same.
 */
export const HIDDEN_CHARACTER = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
