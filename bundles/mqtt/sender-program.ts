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
  const apply = (settings: DeclaredSettings): void => {
    try {
      program.apply(settings);
      program.setSettingsFault(undefined);
    } catch (error) {
      // Not thrown: the gateway would show the error alone, without counters and checks.
      program.setSettingsFault(error instanceof Error ? error.message : String(error));
    }
    report();
  };
  context.settings.onChange(apply);
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
