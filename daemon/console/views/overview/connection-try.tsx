import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { ConnectionTest, testDriver } from '../../../interface/drivers.ts';
import { wordsOf } from '../../parts/notice.tsx';
import { fill } from '../../text/fill.ts';
import { formatCount } from '../../text/format.ts';
import { OVERVIEW } from '../../text/overview.ts';

/** Asks a device once, because somebody wants it, and says what came. */
export function ConnectionTry({ driver }: { readonly driver: string }): JSX.Element {
  const { rest } = useConsole();
  const [words, setWords] = useState('');
  const [isBusy, setBusy] = useState(false);
  const ask = async (): Promise<void> => {
    setBusy(true);
    setWords(fill(OVERVIEW.testing));
    try {
      const target = `/services/drivers/v1/${encodeURIComponent(driver)}/_test` as const;
      setWords(sayTest(await rest.call<typeof testDriver>('POST', target)));
    } catch (error) {
      setWords(wordsOf(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div class="try">
      <button type="button" disabled={isBusy} onClick={() => void ask()}>
        {fill(OVERVIEW.tryNow)}
        <span class="hidden"> {driver}</span>
      </button>
      <span class="soft" role="status">
        {words}
      </span>
    </div>
  );
}

function sayTest({ outcome, durationMs, message = '' }: ConnectionTest): string {
  const ms = formatCount(durationMs);
  if (outcome === 'FAILED') return fill(OVERVIEW.testFailed, { ms, message });
  return fill(outcome === 'ANSWERED' ? OVERVIEW.answered : OVERVIEW.connected, { ms });
}
