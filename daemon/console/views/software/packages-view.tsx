import type { JSX } from 'preact';

import { FailureNotice } from '../../parts/notice.tsx';
import { Outline } from '../../parts/outline.tsx';
import { fill } from '../../text/fill.ts';
import { SOFTWARE } from '../../text/software.ts';
import { InstallUrl } from './install-url.tsx';
import { OperationTable } from './operation-table.tsx';
import { PackageTable } from './package-table.tsx';
import { UploadFile } from './upload-file.tsx';
import { usePackages } from './use-packages.ts';

/** The packages: what is installed, installing and uninstalling, and what became of it. */
export function PackagesView(): JSX.Element {
  const { installed, operations, error, reload } = usePackages();
  return (
    <>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      <section>
        {installed === undefined && error === undefined ? <Outline /> : undefined}
        {installed === undefined ? undefined : <PackageTable packages={installed} onChange={reload} />}
      </section>
      <section>
        <h2>{fill(SOFTWARE.installTitle)}</h2>
        <div class="install-ways">
          <UploadFile onAccepted={reload} />
          <InstallUrl onAccepted={reload} />
        </div>
      </section>
      <section>
        <h2>{fill(SOFTWARE.operations)}</h2>
        {operations === undefined && error === undefined ? <Outline /> : undefined}
        {operations === undefined ? undefined : <OperationTable operations={operations} />}
      </section>
    </>
  );
}
