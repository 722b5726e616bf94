import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { InstalledPackage } from '../../../interface/packages.ts';
import { shownBundle } from '../../parts/bundle-state.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { fill } from '../../text/fill.ts';
import { SOFTWARE } from '../../text/software.ts';
import { UninstallQuestion } from './uninstall-question.tsx';

interface PackageTableProps {
  readonly packages: readonly InstalledPackage[];
  readonly onChange: () => void;
}

/** The installed packages with their bundles. */
export function PackageTable({ packages, onChange }: PackageTableProps): JSX.Element {
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

interface PackageRowProps {
  readonly installed: InstalledPackage;
  readonly onUninstall: () => void;
}

function PackageRow({ installed: { name, version, bundles }, onUninstall }: PackageRowProps): JSX.Element {
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
        <button type="button" onClick={onUninstall}>
          {fill(SOFTWARE.uninstall)}
          <span class="hidden"> {name}</span>
        </button>
      </td>
    </tr>
  );
}
