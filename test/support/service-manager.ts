import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

import { createTemporaryDirectory } from './temporary-directory.ts';
import type { Owner } from './temporary-directory.ts';
import { programOf } from './tools.ts';

/** One message to the service manager. */
export interface Notification {
  /** Process that sent it, as the kernel reports. */
  readonly pid: number;
  readonly assignments: readonly string[];
}

/** A service manager on a real datagram socket; it only listens. */
export interface ListeningServiceManager {
  /** Value for `NOTIFY_SOCKET`. */
  readonly socket: string;
  readonly notifications: readonly Notification[];
  /** Resolves with the first message that holds the assignment, from the position on. */
  received(assignment: string, from?: number): Promise<Notification>;
}

/** Starts the listening side of sd_notify(3); it ends with the test. */
export async function startServiceManager(t: Owner): Promise<ListeningServiceManager> {
  const socket = path.join(createTemporaryDirectory(t), 'notify');
  const script = path.join(import.meta.dirname, 'service-manager.py');
  const child = spawn(programOf('python3'), [script, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
  const notifications: Notification[] = [];
  const waiting = new Set<() => void>();
  const lines = createInterface({ input: child.stdout });
  await once(lines, 'line');
  lines.on('line', (line) => {
    notifications.push(JSON.parse(line) as Notification);
    for (const look of waiting) look();
  });
  t.after(async () => {
    const exited = once(child, 'exit');
    child.kill();
    await exited;
  });
  return {
    socket,
    notifications,
    received: (assignment, from = 0) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = notifications.slice(from).find(({ assignments }) => assignments.includes(assignment));
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}
