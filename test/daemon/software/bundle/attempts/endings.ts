import type { Attempt } from '../../../../support/attempts/attempt.ts';

/** What happens when the process ends, so that something is left behind. */
export const ENDINGS: readonly Attempt[] = [
  {
    title: 'writing in a listener of exit',
    code: `{ process.on('exit', () => fs.writeFileSync(at.absent, 'x')); process.exit(); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'a crash of the engine',
    code: `{ process.report && Object.assign(process.report, { directory: at.folder, reportOnFatalError: true }); process.abort(); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'process.reallyExit after a signal',
    code: `{ try { process.kill(at.pid, 'SIGTERM'); } finally { process.reallyExit(3); } }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'process.finalization',
    code: `{ const owner = keep({}); process.finalization.register(owner, () => fs.writeFileSync(at.absent, 'x')); process.exit(); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'FinalizationRegistry',
    code: `{ new FinalizationRegistry(() => fs.writeFileSync(at.absent, 'x')).register({}); for (let round = 0; round < 200; round += 1) new Array(1e5).fill(0); await pause(300); fs.writeFileSync(at.absent, 'x'); }`,
    isolation: 'ALWAYS',
  },
  {
    title: 'a child that outlives it',
    code: `{ keep(childProcess.spawn('sleep', Array.of('30'), { detached: true, stdio: 'ignore' })).unref(); process.exit(); }`,
    isolation: 'ALWAYS',
  },
];
