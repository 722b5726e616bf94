import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import { systemClock } from '../../../daemon/base/clock.ts';
import { BundleError } from '../../../daemon/software/bundle/bundle-error.ts';
import { parsePermissions } from '../../../daemon/software/bundle/bundle-permissions.ts';
import { BundleProcess } from '../../../daemon/software/bundle/process/bundle-process.ts';
import { ChildLauncher } from '../../../daemon/software/bundle/process/child-launcher.ts';
import { PROTOCOL_VERSION } from '../../../daemon/software/bundle/message/messages.ts';
import { SHORT_LIMITS } from '../bundle-program.ts';
import { createMemoryLogger } from '../memory-logger.ts';
import { SPARE_FILE, writeAttemptBundle } from './attempt-bundle.ts';
import type { AttemptGroup } from './attempt.ts';
import type { AttemptProcess } from './attempt-run.ts';

interface Layout {
  /** Is created; holds the program and the data of the bundle. */
  readonly root: string;
  readonly group: AttemptGroup;
}

interface Running {
  readonly pid: number | undefined;
  readonly ended: Promise<unknown>;
  kill(): void;
}

/** Puts the bundle of a group on disk and runs it as the gateway does, without the network namespace: only the fences of Node.js are left. */
export function createFencedProcess(layout: Layout): AttemptProcess {
  const bundle = layOut(layout);
  const logger = createMemoryLogger();
  const launcher = new ChildLauncher({
    heapMib: SHORT_LIMITS.heapMib,
    probe: () =>
      Promise.resolve({ hasNetworkNamespace: false, hasProcessNamespace: false, hasParentDeath: true }),
    logger,
    clock: systemClock,
  });
  return supervise(
    { ...bundle, isFenced: true },
    () => JSON.stringify(logger.lines),
    async () => {
      const id = { name: 'attempts', version: '1.0.0' };
      const permissions = parsePermissions({ permissions: '' });
      const described = { ...bundle, id, main: path.basename(bundle.main), permissions: '' };
      const child = new BundleProcess({
        launched: await launcher.launch({
          bundle: described,
          permissions,
          signal: new AbortController().signal,
        }),
        limits: SHORT_LIMITS,
        storageLimits: () => SHORT_LIMITS.storage,
        handler: { onCall: () => Promise.resolve(), onNotification: () => undefined },
        onStop: () => undefined,
        keep: () => undefined,
        logger,
        clock: systemClock,
      });
      const context = { ...id, ...bundle };
      await child.peer.call('activate', { protocol: PROTOCOL_VERSION, context }, { deadlineMs: 60_000 });
      child.watch();
      await raisePriority(child.pid ?? 0);
      return {
        pid: child.pid,
        ended: child.ended,
        kill: () => child.kill(new BundleError('BUNDLE_STOPPED', 'the attempts are over')),
      };
    },
  );
}

/**
 * Puts the bundle of a group on disk and runs it by Node.js alone, with everything that a bundle must not have: it shows which attempts do
 * something.
 *
 * @param descriptor open in the process, as if it were inherited
 */
export function createOpenProcess(layout: Layout, descriptor: number): AttemptProcess {
  const bundle = layOut(layout);
  const starter = path.join(layout.root, 'start.mjs');
  const program = `import { activate } from ${JSON.stringify(bundle.main)}; activate({ bundle: ${JSON.stringify(bundle)} });`;
  writeFileSync(starter, program);
  let output = '';
  return supervise(
    { ...bundle, isFenced: false },
    () => output,
    async () => {
      const child = spawn(process.execPath, [starter], {
        cwd: bundle.directory,
        stdio: ['ignore', 'pipe', 'pipe', 'pipe', descriptor],
        detached: true,
      });
      for (const stream of [child.stdout, child.stderr])
        stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const ended = once(child, 'exit');
      await once(child, 'spawn');
      return { pid: child.pid, ended, kill: () => child.kill('SIGKILL') };
    },
  );
}

// On a busy machine a bundle, with the lowest priority, hardly runs, and its attempts would take long.
async function raisePriority(pid: number): Promise<void> {
  try {
    os.setPriority(pid, 0);
    await writeFile(`/proc/${pid}/autogroup`, '0', { flag: 'r+' });
  } catch {
    // Only root may, and a kernel without autogroups need not.
  }
}

function layOut({ root, group }: Layout) {
  const [directory, dataDirectory] = [path.join(root, 'content'), path.join(root, 'data')];
  mkdirSync(directory, { recursive: true });
  mkdirSync(dataDirectory);
  const main = path.join(directory, 'main.mjs');
  writeFileSync(main, writeAttemptBundle(group.attempts));
  writeFileSync(path.join(directory, SPARE_FILE.name), SPARE_FILE.text);
  return { directory, dataDirectory, main };
}

function supervise(
  { directory, dataDirectory, isFenced }: Pick<AttemptProcess, 'directory' | 'dataDirectory' | 'isFenced'>,
  output: () => string,
  launch: () => Promise<Running>,
): AttemptProcess {
  let running: Running | undefined;
  return {
    directory,
    dataDirectory,
    isFenced,
    output,
    get pid() {
      return running?.pid;
    },
    async start() {
      if (running !== undefined) return;
      const started = await launch();
      running = started;
      void started.ended.then(() => {
        if (running === started) running = undefined;
      });
    },
    async end() {
      running?.kill();
      await running?.ended;
    },
    listProcesses: () =>
      readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map(Number),
  };
}
