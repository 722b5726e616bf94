import { CONSOLE_FIELDS, toAddress } from './gateway-link.ts';

const PATIENCE_MS = 10_000;
// Names of built files contain a digest of their content.
const FILE = /\.\/assets\/[\w.-]+/g;

/** Files that this page was loaded with; read before it loads any other. */
const OWN = listFiles(document.head.innerHTML);

/**
 * Finds out if the gateway serves another version of the console than this page, as after an upgrade. The request is public: it
 * neither extends a session nor adds an audit event.
 *
 * @returns names of its files, which identify the version; undefined if it is the same, or cannot be determined
 */
export async function findOtherVersion(): Promise<string | undefined> {
  try {
    const response = await fetch(toAddress('/'), {
      headers: CONSOLE_FIELDS,
      cache: 'no-store',
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    // An error of a reverse proxy has no files of the console.
    const files = response.ok ? listFiles(await response.text()) : '';
    return files === '' || OWN === '' || files === OWN ? undefined : files;
  } catch {
    return undefined;
  }
}

function listFiles(html: string): string {
  return [...new Set(html.match(FILE))].toSorted().join(' ');
}
