import type { JSX } from 'preact';

import { linkTo, route } from '../../parts/route.ts';
import { SectionLinks } from '../../parts/section-links.tsx';
import { fill } from '../../text/fill.ts';
import { SOFTWARE } from '../../text/software.ts';
import { BundlesView } from './bundles-view.tsx';
import { FailureNotice } from '../../parts/notice.tsx';
import { Outline } from '../../parts/outline.tsx';
import { InstallUrl } from './install-url.tsx';
import { OperationTable } from './operation-table.tsx';
import { PackageTable } from './package-table.tsx';
import { UploadFile } from './upload-file.tsx';
import { usePackages } from './use-packages.ts';
import { useConsole } from '../../api/console-context.ts';
import { useResource } from '../../parts/use-resource.ts';
import type { PageProps } from '../pages.ts';

const SECTIONS = ['packages', 'bundles', 'about'] as const;
const TITLES = { packages: SOFTWARE.packages, bundles: SOFTWARE.bundles, about: SOFTWARE.about } as const;

/** Packages, bundles, and product information. */
export function SoftwarePage({ title }: PageProps): JSX.Element {
  const section = SECTIONS.find((name) => name === route.value.parts[1]) ?? 'packages';
  return (
    <>
      <header>
        <h1>{title}</h1>
        <SectionLinks
          label={title}
          sections={SECTIONS.map((name) => ({
            link: linkTo(name === 'packages' ? ['software'] : ['software', name]),
            words: fill(TITLES[name]),
            isHere: name === section,
          }))}
        />
      </header>
      {section === 'packages' ? <PackagesView /> : undefined}
      {section === 'bundles' ? <BundlesView /> : undefined}
      {section === 'about' ? <AboutView /> : undefined}
    </>
  );
}

/** Packages: installed ones, install form, and operations. */
function PackagesView(): JSX.Element {
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

const DESCRIPTION = '/services/openapi.json';

interface Described {
  readonly info: { readonly version: string };
}

/** Product information: version, licences, API description. */
function AboutView(): JSX.Element {
  const { rest } = useConsole();
  const { value, error, reload } = useResource('about', (abort) => rest.get<Described>(DESCRIPTION, abort));
  return (
    <section class="about">
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      <h2>{fill(SOFTWARE.product, { version: value?.info.version ?? '' })}</h2>
      <dl>
        <dt>{fill(SOFTWARE.licence)}</dt>
        <dd>{fill(SOFTWARE.licenceOwn)}</dd>
        <dt>{fill(SOFTWARE.parts)}</dt>
        <dd>
          {fill(SOFTWARE.partsWhere)} <span class="code">/usr/share/doc/penstock/copyright</span>
          <div>{fill(SOFTWARE.consoleParts)}</div>
        </dd>
        <dt>{fill(SOFTWARE.bill)}</dt>
        <dd class="code">/usr/share/doc/penstock/sbom.cdx.json</dd>
        <dt>{fill(SOFTWARE.description)}</dt>
        <dd>
          <a href={DESCRIPTION}>openapi.json</a>
        </dd>
      </dl>
    </section>
  );
}
