import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { fill } from '../../text/fill.ts';
import { SOFTWARE } from '../../text/software.ts';

const DESCRIPTION = '/services/openapi.json';

interface Described {
  readonly info: { readonly version: string };
}

/** What the product says of itself: version, licences, and the description of its interface. */
export function AboutView(): JSX.Element {
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
          {fill(SOFTWARE.partsWhere)} <span class="values">/usr/share/doc/penstock/copyright</span>
          <div>{fill(SOFTWARE.consoleParts)}</div>
        </dd>
        <dt>{fill(SOFTWARE.bill)}</dt>
        <dd class="values">/usr/share/doc/penstock/sbom.cdx.json</dd>
        <dt>{fill(SOFTWARE.description)}</dt>
        <dd>
          <a href={DESCRIPTION}>openapi.json</a>
        </dd>
      </dl>
    </section>
  );
}
