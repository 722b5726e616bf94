import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, watch, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { KeyPair } from '../../daemon/security/certificate/certificate-issuer.ts';
import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';
import { programOf } from './tools.ts';

/** The configuration that the documentation shows. */
const EXAMPLE = path.join(import.meta.dirname, '../../docs/examples/rsyslog-audit.conf');

const TRIES = 500;
const PAUSE_MS = 10;

/** The rsyslogd of Debian, which takes syslog over TLS and writes it to a file. */
export interface RsyslogServer {
  /** The same after each start. */
  readonly port: number;
  /** Returns the lines that it has written, of all its runs: hash and text of each event. */
  lines(): readonly string[];
  /** Resolves when a line is there. */
  until(isWanted: (line: string) => boolean): Promise<string>;
  /** Starts it again; it takes connections soon after. */
  start(): void;
  /** Ends it in order, or kills it. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/**
 * Starts rsyslogd in the foreground with the configuration of the documentation, whose paths and port are replaced by those of a
 * temporary directory; it is ended with the test. Clients need a certificate of the authority.
 */
export async function startRsyslogServer(
  t: Owner,
  { certificate, privateKey }: KeyPair,
  authority: string,
): Promise<RsyslogServer> {
  const directory = createTemporaryDirectory(t);
  const at = (name: string): string => path.join(directory, name);
  const read = (name: string): string => {
    try {
      return readFileSync(at(name), 'utf8');
    } catch {
      return '';
    }
  };
  /** Resolves when a condition holds, looked at after each change in the directory. */
  const untilChange = async (isThere: () => boolean): Promise<void> => {
    const watcher = watch(directory);
    try {
      while (!isThere()) await once(watcher, 'change');
    } finally {
      watcher.close();
    }
  };
  writeFileSync(at('server.crt'), certificate);
  writeFileSync(at('server.key'), privateKey, { mode: 0o600 });
  writeFileSync(at('ca.crt'), authority);

  let port = 0;
  let running:
    | { readonly kill: (signal: NodeJS.Signals) => void; readonly exit: Promise<unknown> }
    | undefined;
  const start = (): void => {
    const example = readFileSync(EXAMPLE, 'utf8')
      .replaceAll('/etc/rsyslog.d/tls', directory)
      .replaceAll('/var/log', directory)
      .replace('port="6514"', `port="${port}" address="127.0.0.1" listenPortFileName="${at('port')}"`);
    writeFileSync(at('rsyslog.conf'), `global(workDirectory="${directory}")\n${example}`);
    const words = ['-n', '-f', at('rsyslog.conf'), '-i', at('rsyslogd.pid')];
    const child = spawn(programOf('rsyslogd'), words, { stdio: ['ignore', 'ignore', 'inherit'] });
    running = { kill: (signal) => void child.kill(signal), exit: once(child, 'exit') };
  };
  const stop = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
    running?.kill(signal);
    await running?.exit;
    running = undefined;
  };
  t.after(() => stop('SIGKILL'));
  start();
  // It tells only a port that it has chosen itself.
  const ended = running?.exit.then(() => assertListening(read('port')));
  await Promise.race([untilChange(() => read('port') !== ''), ended]);
  port = Number(read('port'));
  await untilAccepted(port);
  const lines = (): readonly string[] => read('penstock-audit.log').split('\n').slice(0, -1);
  return {
    port,
    lines,
    async until(isWanted) {
      let found: string | undefined;
      await untilChange(() => (found = lines().find(isWanted)) !== undefined);
      return found ?? '';
    },
    start,
    stop,
  };
}

/** Resolves when a port accepts connections: rsyslogd tells it a moment before it listens. */
async function untilAccepted(port: number): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    const socket = createConnection({ host: '127.0.0.1', port });
    try {
      await once(socket, 'connect');
      return;
    } catch (error) {
      if (tries === TRIES) throw error;
      await pause(PAUSE_MS);
    } finally {
      socket.destroy();
    }
  }
}

function assertListening(port: string): void {
  if (port === '') throw new Error('rsyslogd has ended before it took connections');
}
