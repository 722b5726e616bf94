import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, symlink } from 'node:fs/promises';

import { messageOf } from '../base/errors.ts';
import { describeFileFault } from '../base/file-fault.ts';
import { ProtocolUnavailable } from './plant-protocol.ts';
import { PSEUDO_TERMINAL_PROGRAM } from './pseudo-terminal-program.ts';
import { PlantError } from './plant-error.ts';

const NEWLINE = 0x0a;

interface PseudoTerminalOptions {
  /** Path of a symbolic link to create, as a fixed name of the line; absent: none. */
  readonly link?: string | undefined;
  /** Called with the bytes that a program writes to the line. */
  readonly onChunk: (bytes: Buffer) => void;
}

/** A pseudo terminal that acts as a serial line to this process. */
interface PseudoTerminal {
  /** Path that a program opens: the link, or `/dev/pts/N`. */
  readonly path: string;
  /** Sends bytes to the program that reads the line; they are lost when none does. */
  send(bytes: Buffer): void;
  /** Removes the line, as when an adapter is unplugged, and its link. */
  close(): Promise<void>;
}

/**
 * Opens a pseudo terminal as a serial line.
 *
 * @throws {ProtocolUnavailable} `PERL_MISSING` or `PSEUDO_TERMINAL_UNAVAILABLE`
 * @throws {PlantError} `LINK_UNAVAILABLE`
 */
export async function openPseudoTerminal({ link, onChunk }: PseudoTerminalOptions): Promise<PseudoTerminal> {
  const child = spawn('perl', ['-e', PSEUDO_TERMINAL_PROGRAM], { stdio: ['pipe', 'pipe', 'pipe'] });
  const closed = once(child, 'close').catch(() => undefined);
  const close = async (): Promise<void> => {
    child.stdin.end();
    child.kill();
    await closed;
  };
  // The stream ends with the child, whose end is handled.
  child.stdin.on('error', () => undefined);
  const path = await readPath(child);
  if (link !== undefined) {
    try {
      await symlink(path, link);
    } catch (cause) {
      await close();
      const detail = `the link ${link} cannot be created: ${describeFileFault(cause, 'this user')}`;
      throw new PlantError({ code: 'LINK_UNAVAILABLE', detail, cause });
    }
  }
  child.stdout.on('data', onChunk).resume();
  return {
    path: link ?? path,
    send: (bytes) => void child.stdin.write(bytes),
    async close() {
      if (link !== undefined) await rm(link, { force: true });
      await close();
    },
  };
}

/** Reads the first line of the output; the rest stays in the stream. */
function readPath(child: ReturnType<typeof spawn>): Promise<string> {
  const { stdout, stderr } = child;
  return new Promise((resolve, reject) => {
    let output = Buffer.alloc(0);
    let errors = '';
    const fail = (code: string, detail: string, cause?: unknown): void =>
      reject(new ProtocolUnavailable({ code, detail, cause }));
    const onData = (bytes: Buffer): void => {
      output = Buffer.concat([output, bytes]);
      const end = output.indexOf(NEWLINE);
      if (end < 0) return;
      stdout?.off('data', onData);
      stdout?.pause();
      if (end + 1 < output.length) stdout?.unshift(output.subarray(end + 1));
      resolve(output.toString('latin1', 0, end));
    };
    stdout?.on('data', onData);
    stderr?.on('data', (bytes: Buffer) => (errors += bytes.toString()));
    child.once('error', (cause) =>
      fail('PERL_MISSING', `perl cannot be started (apt-get install perl-base): ${messageOf(cause)}`, cause),
    );
    child.once('close', () =>
      fail('PSEUDO_TERMINAL_UNAVAILABLE', `a pseudo terminal cannot be created: ${errors.trim()}`),
    );
  });
}
