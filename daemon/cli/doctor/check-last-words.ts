import { readLastWords } from '../../base/last-words.ts';
import { formatLocalTime } from '../local-time.ts';
import type { Finding } from '../machine-checks.ts';

/** Checks what the daemon last said of itself; that is all there is of one that does not run. */
export async function checkLastWords(dataDirectory: string, isRunning: boolean): Promise<readonly Finding[]> {
  const words = await readLastWords(dataDirectory);
  if (words === undefined) return [];
  const { state, timeMs, reason = '' } = words;
  const time = formatLocalTime(timeMs);
  if (state === 'RELOAD_FAILED') {
    const detail = `${time}: ${reason}`;
    const advice =
      'fix it, then: systemctl reload penstock; until then the previous configuration is in force';
    return [{ check: 'reload', state: 'WRONG', detail, advice }];
  }
  if (isRunning) return [];
  const isDamaged = reason.includes('is not an intact database');
  const advice = isDamaged
    ? 'penstock restore FILE --replace, with the newest backup, then: systemctl restart penstock'
    : 'fix it, then: systemctl restart penstock; more is in: journalctl -u penstock -n 50';
  const detail = {
    FAILED: `the daemon ended at ${time}: ${reason}`,
    STOPPED: `the daemon was stopped at ${time}`,
    SERVING: `the daemon ended after ${time} without a word: it was killed, or the power failed`,
    RELOADED: `the daemon ended after ${time} without a word: it was killed, or the power failed`,
  }[state];
  return [{ check: 'daemon', state: 'WRONG', detail, advice }];
}
