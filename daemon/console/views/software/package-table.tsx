import type { JSX } from 'preact';
import { useState, useLayoutEffect, useRef } from 'preact/hooks';

import type { InstalledPackage, uninstallPackage } from '../../../interface/software/packages.ts';
import { shownBundle } from '../../parts/bundle-state.ts';
import { RowAction } from '../../parts/row-action.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { useReturnFocus } from '../../parts/use-return-focus.ts';
import { fill } from '../../text/fill.ts';
import { SOFTWARE } from '../../text/software.ts';
import { useConsole } from '../../api/console-context.ts';
import { makeRequestKey } from '../../api/request-key.ts';
import { FailureNotice } from '../../parts/notice.tsx';

/** Installed packages with their bundles. */
export function PackageTable({
  packages,
  onChange,
}: Readonly<{ packages: readonly InstalledPackage[]; onChange: () => void }>): JSX.Element {
  const [asked, setAsked] = useState<string | undefined>(undefined);
  if (packages.length === 0) {
    return (
      <p class="soft">
        {fill(SOFTWARE.none)} {fill(SOFTWARE.noneHint)}
      </p>
    );
  }
  const target = packages.find(({ name }) => name === asked);
  return (
    <>
      <table class="packages">
        <thead>
          <tr>
            <th scope="col">{fill(SOFTWARE.package)}</th>
            <th scope="col">{fill(SOFTWARE.version)}</th>
            <th scope="col">{fill(SOFTWARE.bundles)}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {packages.map((installed) => (
            <PackageRow
              key={installed.name}
              installed={installed}
              onUninstall={() => setAsked(installed.name)}
            />
          ))}
        </tbody>
      </table>
      {target === undefined ? undefined : (
        <UninstallQuestion
          key={target.name}
          target={target}
          onClose={() => setAsked(undefined)}
          onAccepted={() => {
            setAsked(undefined);
            onChange();
          }}
        />
      )}
    </>
  );
}

function PackageRow({
  installed: { name, version, bundles },
  onUninstall,
}: Readonly<{ installed: InstalledPackage; onUninstall: () => void }>): JSX.Element {
  return (
    <tr>
      <td>{name}</td>
      <td class="values">{version}</td>
      <td>
        {bundles.length === 0 ? <span class="soft">{fill(SOFTWARE.noBundles)}</span> : undefined}
        <ul>
          {bundles.map((bundle) => (
            <li key={bundle.name}>
              {bundle.name} <span class="values">{bundle.version}</span>{' '}
              <StateWord {...shownBundle(bundle.state)} />
            </li>
          ))}
        </ul>
      </td>
      <td class="number">
        <span class="row-actions">
          <RowAction icon="remove" label={fill(SOFTWARE.uninstallName, { name })} onClick={onUninstall} />
        </span>
      </td>
    </tr>
  );
}

/** Confirmation of an uninstall, whose button names the package. */
function UninstallQuestion({
  target,
  onClose,
  onAccepted,
}: Readonly<{ target: InstalledPackage; onClose: () => void; onAccepted: () => void }>): JSX.Element {
  const { rest } = useConsole();
  const { name, version, bundles } = target;
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const [key] = useState(makeRequestKey);
  const keep = useRef<HTMLButtonElement>(null);
  useReturnFocus();
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
