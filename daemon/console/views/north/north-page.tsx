import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import type { listHistory } from '../../../interface/plant/history.ts';
import type { listBundles } from '../../../interface/software/bundles.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { Outline } from '../../parts/outline.tsx';
import { namePermission } from '../../parts/permission-words.ts';
import { linkTo } from '../../parts/route.ts';
import { useResource } from '../../parts/use-resource.ts';
import { fill } from '../../text/fill.ts';
import { NORTH } from '../../text/north.ts';
import { SOFTWARE } from '../../text/software.ts';
import type { PageProps } from '../pages.ts';
import { ReaderTable } from './reader-table.tsx';
import { SenderSection } from './sender-section.tsx';
import { findSenders } from './senders.ts';

const BUNDLES_EVERY_MS = 3000;
const CONSUMERS_EVERY_MS = 5000;

/** Bundles that send recorded samples: state, backlog, and what they have checked themselves. */
export function NorthPage({ title }: PageProps): JSX.Element {
  const { rest, session } = useConsole();
  const seesConsumers = session.may('rest.assets.read') && session.may('rest.configuration');
  const bundles = useResource(
    'bundles',
    (abort) => rest.call<typeof listBundles>('GET', '/services/deploy/v2/_bundles', { abort }),
    { everyMs: BUNDLES_EVERY_MS },
  );
  const history = useResource(
    seesConsumers ? 'consumers' : undefined,
    (abort) => rest.call<typeof listHistory>('GET', '/services/history/v1', { abort }),
    { everyMs: CONSUMERS_EVERY_MS },
  );
  const isLoaded = bundles.value !== undefined && (!seesConsumers || history.value !== undefined);
  const { senders, others } = findSenders(bundles.value ?? [], history.value?.consumers ?? []);
  const failed = [bundles, history].filter(({ error }) => error !== undefined);
  return (
    <>
      <header>
        <h1>{title}</h1>
      </header>
      {failed.map(({ error, reload }, index) => (
        <FailureNotice key={index} error={error} onRetry={reload} />
      ))}
      {seesConsumers ? undefined : (
        <p class="soft">
          {fill(NORTH.notPermitted, {
            assets: namePermission('rest.assets.read'),
            configuration: namePermission('rest.configuration'),
          })}
        </p>
      )}
      {isLoaded || failed.length > 0 ? undefined : <Outline rows={6} />}
      {isLoaded && senders.length === 0 ? (
        <section>
          <p class="soft">{fill(NORTH.none)}</p>
          <p class="soft">{fill(NORTH.noneDo)}</p>
          <p>
            <a class="button" href={linkTo(['software'])}>
              {fill(SOFTWARE.toPackages)}
            </a>
          </p>
        </section>
      ) : undefined}
      {isLoaded
        ? senders.map((sender) => <SenderSection key={sender.bundle.name} sender={sender} />)
        : undefined}
      {isLoaded && others.length > 0 ? (
        <section>
          <h2>{fill(NORTH.others)}</h2>
          <ReaderTable
            label={fill(NORTH.others)}
            heading={fill(NORTH.reader)}
            readers={others.map((position) => ({
              name: position.consumer === 'history' ? fill(NORTH.history) : position.consumer,
              position,
            }))}
          />
          <p class="faint">{fill(NORTH.othersHint)}</p>
        </section>
      ) : undefined}
    </>
  );
}
