import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { makeRequestKey } from '../../api/request-key.ts';
import type { InstalledPackage, uninstallPackage } from '../../../interface/packages.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { fill } from '../../text/fill.ts';
import { SOFTWARE } from '../../text/software.ts';

interface UninstallQuestionProps {
  readonly target: InstalledPackage;
  readonly onClose: () => void;
  readonly onAccepted: () => void;
}

/** Asks whether a package is to be uninstalled; the answer names it. */
export function UninstallQuestion({ target, onClose, onAccepted }: UninstallQuestionProps): JSX.Element {
  const { rest } = useConsole();
  const { name, version, bundles } = target;
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const [key] = useState(makeRequestKey);
  const keep = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => keep.current?.focus(), []);

  const uninstall = async (): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    setError(undefined);
    try {
      const path = `/services/deploy/v2/${encodeURIComponent(name)}` as const;
      await rest.call<typeof uninstallPackage>('DELETE', path, { headers: { 'Idempotency-Key': key } });
      onAccepted();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };
  const names = bundles.map((bundle) => bundle.name).join(', ');
  return (
    <form
      class="question"
      aria-label={fill(SOFTWARE.uninstallName, { name })}
      onSubmit={(event) => {
        event.preventDefault();
        void uninstall();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      <p>
        {fill(SOFTWARE.uninstallQuestion, {
          name,
          version,
          bundles: names === '' ? fill(SOFTWARE.noBundles) : names,
        })}
      </p>
      {error === undefined ? undefined : <FailureNotice error={error} />}
      <div class="tools">
        <button type="submit" disabled={isBusy}>
          {fill(SOFTWARE.uninstallName, { name })}
        </button>
        <button type="button" class="main" ref={keep} onClick={onClose}>
          {fill(SOFTWARE.keep)}
        </button>
      </div>
    </form>
  );
}
