/**
 * Decodes the file of a table: UTF-8, else Windows-1252, in which many spreadsheets save CSV.
 *
 * @returns undefined if it is no text in either, such as a workbook
 */
export function decodeSheetFile(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
