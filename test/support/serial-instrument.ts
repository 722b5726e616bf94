import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '../../daemon/base/clock.ts';
import { SerialLink } from '../../drivers/link/serial-link.ts';
import { programOf } from './tools.ts';

/** Channels of the instrument `scale`: its weight, and a setpoint that it confirms. */
export const SCALE_CHANNELS = {
  weight: {
    name: 'weight',
    type: 'READ',
    valueType: 'DOUBLE',
    address: { request: 'W\\r\\n', response: { pattern: '^ST,GS,(.*) kg$' } },
  },
  setpoint: {
    name: 'setpoint',
    type: 'READ_WRITE',
    valueType: 'DOUBLE',
    address: {
      request: 'SP?\\r\\n',
      response: { pattern: '^SP (.*)$' },
      write: 'SP {value}\\r\\n',
      decimals: 2,
      acknowledge: '^OK$',
    },
  },
} as const;

/** An instrument in its own process. */
export interface RunningInstrument extends AsyncDisposable {
  /** Stops the process; it answers pending requests once it continues. */
  hold(): void;
  goOn(): void;
}

/** Starts an instrument that was not written for the gateway, in its own process. */
export async function startInstrument(
  kind: 'scale' | 'weather' | 'flow',
  device: string,
): Promise<RunningInstrument> {
  const script = path.join(import.meta.dirname, 'serial-instrument.py');
  const python = programOf('python3');
  const child = spawn(python, [script, kind, device], { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited]);
  if (child.exitCode !== null) throw new Error(`${python} ended at once`);
  return {
    hold: () => void child.kill('SIGSTOP'),
    goOn: () => void child.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      child.kill('SIGCONT');
      child.stdin.end();
      await exited;
    },
  };
}

/** An instrument that a test controls. */
export interface ScriptedInstrument extends Disposable {
  /** Everything that came in, as Latin-1. */
  readonly received: string;
  send(text: string): void;
  /** Waits until the received bytes contain a text, and removes them up to its end. */
  expect(text: string): Promise<void>;
}

/** Opens the instrument's end of a line. */
export async function openScriptedInstrument(device: string): Promise<ScriptedInstrument> {
  const link = new SerialLink({
    device,
    baudRate: 9600,
    dataBits: 8,
    stopBits: 1,
    parity: 'none',
    clock: systemClock,
  });
  let received = '';
  let onProgress = (): void => undefined;
  await link.open(new AbortController().signal, {
    onChunk(bytes) {
      received += bytes.toString('latin1');
      onProgress();
    },
    onClose: () => undefined,
  });
  return {
    get received() {
      return received;
    },
    send: (text) => link.send(Buffer.from(text, 'latin1')),
    expect: (text) =>
      new Promise((resolve) => {
        onProgress = () => {
          const at = received.indexOf(text);
          if (at < 0) return;
          received = received.slice(at + text.length);
          onProgress = () => undefined;
          resolve();
        };
        onProgress();
      }),
    [Symbol.dispose]: () => link.close(),
  };
}
