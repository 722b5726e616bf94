import { unreadable } from './import-error.ts';

// No sheet of channels is one word of this length, an encrypted snapshot always is.
const LEAST_ENCRYPTED_LENGTH = 64;

// Base64 of one or two parts, as the crypto service of Kura writes them: initialization vector and content.
const ENCRYPTED = /^[\w+/=-]+(?:\s+[\w+/=-]+)*$/;

const HINT =
  'download the snapshot in the console of that gateway (Settings, Snapshots, Download, XML): its folder of snapshots has encrypted ones';

/**
 * Tells a snapshot of Eclipse Kura from a sheet of channels.
 *
 * @param file names the file in the error
 * @throws {CommandError} `IMPORT_UNREADABLE` for an encrypted snapshot, and for a text that is neither XML nor a sheet
 */
export function recognizeKuraFile(file: string, text: string): 'SNAPSHOT' | 'SHEET' {
  const content = text.replace(/^\uFEFF/, '').trim();
  if (content.startsWith('<')) return 'SNAPSHOT';
  if (content === '') throw unreadable(`${file} is empty`);
  const isOneWord = content.length >= LEAST_ENCRYPTED_LENGTH && !/[,;]/.test(content);
  if (isOneWord && ENCRYPTED.test(content)) throw unreadable(`${file} is an encrypted snapshot; ${HINT}`);
  if (/^[{[]/.test(content)) throw unreadable(`${file} is JSON; expected XML: ${HINT}`);
  const [head = ''] = content.split('\n');
  if (/\.xml$/i.test(file) || !/[,;\t]/.test(head)) {
    throw unreadable(`${file} is neither XML nor a sheet of channels (CSV); ${HINT}`);
  }
  return 'SHEET';
}
