import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

import type { Clock } from '../clock.ts';

/** Source of the names of the machine. */
interface NameSources {
  readonly hostname: () => string;
  /** Returns the content of a file; empty if missing. */
  readonly readFile: (file: string) => string;
}

const SYSTEM: NameSources = { hostname, readFile };
// A request with an unknown name must not read files each time.
const REFRESH_MS = 10_000;
const MAXIMUM_CHARACTERS = 65_536;

/**
 * Creates the check of names of this machine: its host name, that name in `.local` (RFC 6762) and in the domains of
 * resolv.conf, and its aliases in `/etc/hosts`. A changed name is detected within ten seconds.
 *
 * @returns true if the machine has the name, given in lower case
 */
export function createMachineNames(
  clock: Pick<Clock, 'monotonicMs'>,
  sources: NameSources = SYSTEM,
): (name: string) => boolean {
  let names: ReadonlySet<string> = new Set();
  let readAtMs = -Infinity;
  return (name) => {
    if (!names.has(name) && clock.monotonicMs() - readAtMs >= REFRESH_MS) {
      names = listNames(sources);
      readAtMs = clock.monotonicMs();
    }
    return names.has(name);
  };
}

function listNames({ hostname: getHostname, readFile: read }: NameSources): ReadonlySet<string> {
  const full = getHostname().toLowerCase();
  const [label = full] = full.split('.');
  const domains = listLines(read('/etc/resolv.conf')).flatMap(([keyword, ...values]) =>
    keyword === 'domain' || keyword === 'search' ? values : [],
  );
  const aliases = listLines(read('/etc/hosts')).flatMap(([, ...values]) =>
    values.includes(full) ? values : [],
  );
  const qualified = ['local', ...domains].map((domain) => `${label}.${domain.replace(/\.$/, '')}`);
  return new Set([full, label, ...qualified, ...aliases].filter((name) => name !== ''));
}

function listLines(text: string): readonly (readonly string[])[] {
  return text.split('\n').map((line) =>
    line
      .replace(/[#;].*$/, '')
      .toLowerCase()
      .trim()
      .split(/\s+/),
  );
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, MAXIMUM_CHARACTERS);
  } catch {
    return '';
  }
}
