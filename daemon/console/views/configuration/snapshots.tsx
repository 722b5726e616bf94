import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import type {
  listSnapshots,
  readSnapshot,
  Snapshot,
} from '../../../interface/configuration/configuration.ts';
import { listDifferences } from '../../forms/difference.ts';
import type { Difference } from '../../forms/difference.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { linkTo } from '../../parts/route.ts';
import { RowAction } from '../../parts/row-action.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { CONFIGURATION } from '../../text/configuration.ts';
import { Outline } from '../../parts/outline.tsx';
import { fill } from '../../text/fill.ts';
import { formatTime } from '../../text/format.ts';
import { DifferenceList } from '../../forms/change/difference-list.tsx';
import { CONFIGURATION_ROOT } from '../../forms/change/edit-target.ts';
import { PlanPanel } from '../../forms/change/plan-panel.tsx';
import { useChange } from '../../forms/change/use-change.ts';
import type { LoadedConfiguration } from '../../forms/change/use-configuration.ts';

const PATH = `${CONFIGURATION_ROOT}/snapshots`;

/** Snapshots, newest first. */
export function Snapshots({ basis }: { readonly basis: string }): JSX.Element {
  const { rest } = useConsole();
  const { value, error, reload } = useResource(basis, (abort) =>
    rest.call<typeof listSnapshots>('GET', PATH, { abort }),
  );
  if (error !== undefined) return <FailureNotice error={error} onRetry={reload} />;
  if (value === undefined) return <Outline />;
  if (value.snapshots.length === 0) return <p class="soft">{fill(CONFIGURATION.noSnapshots)}</p>;
  return (
    <>
      <h2>{fill(CONFIGURATION.snapshots)}</h2>
      <table class="stacked">
        <thead>
          <tr>
            <th scope="col">{fill(CONFIGURATION.snapshots)}</th>
            <th scope="col">{fill(CONFIGURATION.time)}</th>
            <th scope="col">{fill(CONFIGURATION.author)}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {value.snapshots.map(({ id, createdAt, author }, index) => (
            <tr key={id}>
              <td>
                <a href={linkTo(['configuration', 'snapshots', String(id)])}>
                  {fill(CONFIGURATION.snapshot, { id })}
                </a>{' '}
                {index === 0 ? <span class="soft">{fill(CONFIGURATION.inForce)}</span> : undefined}
              </td>
              <td class="values">{formatTime(createdAt)}</td>
              <td>{author ?? <span class="soft">{fill(CONFIGURATION.gateway)}</span>}</td>
              <td class="number">
                {index === 0 ? undefined : (
                  <span class="row-actions">
                    <RowAction
                      icon="back"
                      label={`${fill(CONFIGURATION.snapshot, { id })}: ${fill(CONFIGURATION.goingBack)}`}
                      href={linkTo(['configuration', 'snapshots', String(id)])}
                    />
                  </span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

/** Snapshot: its changes, and the rollback to it. */
export function SnapshotView({
  id,
  configuration,
  onChanged,
}: Readonly<{ id: string; configuration: LoadedConfiguration; onChanged: () => void }>): JSX.Element {
  const { rest } = useConsole();
  const loaded = useResource(`${id} ${configuration.basis}`, async (abort) => {
    const load = (name: string | number): Promise<Snapshot> =>
      rest.call<typeof readSnapshot>('GET', `${PATH}/${encodeURIComponent(name)}`, { abort });
    const snapshot = await load(id);
    const { snapshots } = await rest.call<typeof listSnapshots>('GET', PATH, { abort });
    const index = snapshots.findIndex((head) => head.id === snapshot.id);
    const former = index < 0 ? undefined : snapshots[index + 1];
    // Also for the active configuration, without default items.
    const [newest] = snapshots;
    return {
      snapshot,
      before: former === undefined ? undefined : (await load(former.id)).document,
      current: newest === undefined ? {} : (await load(newest.id)).document,
    };
  });
  const steps = useChange({ onApplied: onChanged, onStale: onChanged });
  if (loaded.value === undefined) {
    return loaded.error === undefined ? (
      <></>
    ) : (
      <FailureNotice error={loaded.error} onRetry={loaded.reload} />
    );
  }
  const { snapshot, before, current } = loaded.value;
  const back = listDifferences(current, snapshot.document);
  return (
    <>
      <h2>
        {fill(CONFIGURATION.snapshot, { id })}{' '}
        <span class="soft">
          {formatTime(snapshot.createdAt)} {snapshot.author ?? fill(CONFIGURATION.gateway)}
        </span>
      </h2>
      <h3>{fill(CONFIGURATION.itChanged)}</h3>
      {before === undefined ? (
        <p class="soft">{fill(CONFIGURATION.first)}</p>
      ) : (
        <Differences differences={listDifferences(before, snapshot.document)} />
      )}
      <h3>{fill(CONFIGURATION.goingBack)}</h3>
      <Differences differences={back} />
      {steps.error === undefined ? undefined : <FailureNotice error={steps.error} />}
      {back.length === 0 || steps.planned !== undefined ? undefined : (
        <button
          class="main"
          type="button"
          disabled={steps.isBusy}
          onClick={() =>
            void steps.plan({
              method: 'POST',
              path: `snapshots/${encodeURIComponent(id)}/_rollback`,
              basis: configuration.basis,
              differences: back,
            })
          }
        >
          {fill(CONFIGURATION.planRollback)}
        </button>
      )}
      {steps.planned === undefined ? undefined : (
        <PlanPanel steps={steps} planned={steps.planned} document={configuration.document} />
      )}
    </>
  );
}

function Differences({ differences }: { readonly differences: readonly Difference[] }): JSX.Element {
  if (differences.length === 0) return <p class="soft">{fill(CONFIGURATION.same)}</p>;
  return <DifferenceList differences={differences} />;
}
