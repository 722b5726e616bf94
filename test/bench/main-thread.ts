import type { CDPSession } from 'playwright-core';

/** What the thread of a page did for a while; times are of the processor, which other programs hardly affect. */
export interface TracedTasks {
  readonly longestMs: number;
  /** 0..1 */
  readonly busyShare: number;
}

/** One event of a trace of Chromium; times in microseconds. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time of the thread. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Runs something, and tells how long the page was busy at a time while it ran. */
export async function traceTasks(debug: CDPSession, run: () => Promise<void>): Promise<TracedTasks> {
  const events: TraceEvent[] = [];
  const collect = ({ value }: { readonly value: readonly object[] }): void => {
    events.push(...(value as readonly TraceEvent[]));
  };
  debug.on('Tracing.dataCollected', collect);
  await debug.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['toplevel'] },
  });
  const start = performance.now();
  await run();
  const tracedMs = performance.now() - start;
  const complete = new Promise<unknown>((resolve) => debug.once('Tracing.tracingComplete', resolve));
  await debug.send('Tracing.end');
  await complete;
  debug.off('Tracing.dataCollected', collect);

  const threads = new Set(
    events.flatMap(({ name, tid, args }) =>
      name === 'thread_name' && args.name === 'CrRendererMain' ? tid : [],
    ),
  );
  const tasks = events.filter(
    ({ name, tid }) => name === 'ThreadControllerImpl::RunTask' && threads.has(tid),
  );
  if (tasks.length === 0) throw new Error('the trace has no tasks of the page');
  const times = tasks.map(({ tdur = 0 }) => tdur / 1000);
  return {
    longestMs: Math.max(...times),
    busyShare: times.reduce((sum, ms) => sum + ms, 0) / tracedMs,
  };
}
