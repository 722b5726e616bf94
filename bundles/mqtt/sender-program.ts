import type { BundleContext, BundleReport } from '../../daemon/software/bundle/runner/context.ts';
import type { DeclaredSettings } from './settings/settings-reader.ts';
import type { Time } from './time.ts';

/** The parts of a bundle that sends. */
export interface SenderProgram {
  /**
   * Applies settings, at the start and when they are changed.
   *
   * @throws if they cannot be used: the settings before them stay in use
   */
  readonly apply: (settings: DeclaredSettings) => void;
  /** @param fault undefined: the settings can be used */
  readonly setSettingsFault: (fault: string | undefined) => void;
  readonly report: () => BundleReport;
  readonly stop: () => Promise<void>;
}

const REPORT_INTERVAL_MS = 1000;

/**
 * Runs a sender: applies its settings, and reports what has changed each second. Settings that cannot be used are reported, and
 * waited for: another program cannot correct them by a restart.
 *
 * @returns ends the sender
 */
export function runSender(
  context: Pick<BundleContext, 'settings' | 'status'>,
  program: SenderProgram,
  time: Time,
): () => Promise<void> {
  const stopped = new AbortController();
  let reported = '';
  const report = (): void => {
    const current = program.report();
    const text = JSON.stringify(current);
    if (text === reported) return;
    reported = text;
    context.status(current);
  };
  /** Returns what is wrong with settings; undefined: they are in use. */
  const apply = (settings: DeclaredSettings): Error | undefined => {
    let fault: Error | undefined;
    try {
      program.apply(settings);
    } catch (error) {
      fault = error instanceof Error ? error : new Error(String(error));
    }
    program.setSettingsFault(fault?.message);
    report();
    return fault;
  };
  context.settings.onChange((settings) => {
    const fault = apply(settings);
    // The gateway reports it to the client that changed them.
    if (fault !== undefined) throw fault;
  });
  // At the start it is reported alone: a program that fails to start is started again and again.
  apply(context.settings.current);
  void reportUntil(stopped.signal, report, time);
  return async () => {
    stopped.abort();
    await program.stop();
  };
}

async function reportUntil(stopped: AbortSignal, report: () => void, time: Time): Promise<void> {
  while (!stopped.aborted) {
    await time.sleep(REPORT_INTERVAL_MS, stopped).catch(() => {});
    if (!stopped.aborted) report();
  }
}
