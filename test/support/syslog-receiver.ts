import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

import type { KeyPair } from '../../daemon/security/certificate/certificate-issuer.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';
import { programOf } from './tools.ts';

const PROGRAM = path.join(import.meta.dirname, 'syslog-receiver.py');

/** A syslog server over TLS in a process of its own. */
export interface SyslogReceiver {
  readonly port: number;
  /** What it has printed after its port: the texts of messages, and what became of connections. */
  readonly lines: readonly string[];
  /** Resolves when a line is there. */
  until(isWanted: (line: string) => boolean): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a receiver; it is ended with the test. */
export async function startSyslogReceiver(
  t: Owner,
  { certificate, privateKey }: KeyPair,
  { mode = 'take', port = 0, authority }: { mode?: string; port?: number; authority?: string } = {},
): Promise<SyslogReceiver> {
  const directory = createTemporaryDirectory(t);
  const file = (name: string, text: string): string => {
    const place = path.join(directory, name);
    writeFileSync(place, text, { mode: 0o600 });
    return place;
  };
  const trusted = authority === undefined ? '-' : file('authority.pem', authority);
  const pair = [file('certificate.pem', certificate), file('key.pem', privateKey)];
  const child = spawn(programOf('python3'), [PROGRAM, ...pair, trusted, String(port), mode], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  const [first] = (await once(reader, 'line')) as [string];
  reader.on('line', (line) => {
    lines.push(line);
    reader.emit('seen');
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exit;
  };
  t.after(stop);
  return {
    port: Number(first),
    lines,
    async until(isWanted) {
      for (;;) {
        const found = lines.find(isWanted);
        if (found !== undefined) return found;
        await once(reader, 'seen');
      }
    },
    stop,
  };
}
