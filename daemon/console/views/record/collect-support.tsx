import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { collectSupport } from '../../../interface/status.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { DIAGNOSE } from '../../text/diagnose.ts';
import { fill } from '../../text/fill.ts';

/** Saves what support needs, as `penstock support` writes it. */
export function CollectSupport(): JSX.Element {
  const { rest } = useConsole();
  const [isBusy, setBusy] = useState(false);
  const [file, setFile] = useState('');
  const [error, setError] = useState<unknown>(undefined);
  const collect = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    setFile('');
    try {
      const report = await rest.call<typeof collectSupport>('GET', '/services/status/v1/support');
      const name = `penstock-support-${location.hostname}-${toFileTime(report.createdAt)}.json`;
      saveFile(name, new Blob([`${JSON.stringify(report, undefined, 2)}\n`], { type: 'application/json' }));
      setFile(name);
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <button type="button" disabled={isBusy} onClick={() => void collect()}>
        {fill(isBusy ? DIAGNOSE.collecting : DIAGNOSE.collect)}
      </button>
      {file === '' ? undefined : (
        <p class="soft support-file" role="status">
          {fill(DIAGNOSE.collected, { file })}
        </p>
      )}
      {error === undefined ? undefined : <FailureNotice error={error} what={fill(DIAGNOSE.notCollected)} />}
    </>
  );
}

/** Returns a time for the name of a file: no colon, which some systems refuse. */
function toFileTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replaceAll(':', '');
}
