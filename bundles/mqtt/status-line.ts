const MAXIMUM_DETAIL = 200;

/** Returns a text as the detail of a status: one line of at most 200 characters. */
export function toStatusLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- a detail is one line
  const line = text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
  return line.length <= MAXIMUM_DETAIL ? line : `${line.slice(0, MAXIMUM_DETAIL - 1)}…`.toWellFormed();
}
