import type { ComponentChildren, JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import type { Bundle, listBundles, restartBundle } from '../../../interface/software/bundles.ts';
import { causeWords, counterWords, reportWords } from '../../parts/bundle-words.ts';
import { shownBundle } from '../../parts/bundle-state.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { linkTo, route, setQuery } from '../../parts/route.ts';
import { RangeBar } from '../../parts/range-bar.tsx';
import { RowAction } from '../../parts/row-action.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { useNow } from '../../parts/use-now.ts';
import { useResource } from '../../parts/use-resource.ts';
import { Outline } from '../../parts/outline.tsx';
import { fill } from '../../text/fill.ts';
import { formatBytes, formatSpan, formatTime } from '../../text/format.ts';
import { REPORT_STATES, SOFTWARE } from '../../text/software.ts';
import { BundleSettingsPanel } from './bundle-settings-panel.tsx';
import { BundleLogPanel } from './bundle-log.tsx';
import { wordsOfPermissions } from './operation-table.tsx';

const ROOT = '/services/deploy/v2/_bundles';
const EVERY_MS = 3000;

/** Bundles with state, cause and resource usage. */
export function BundlesView(): JSX.Element {
  const { rest } = useConsole();
  const { value, error, reload } = useResource(
    'bundles',
    (abort) => rest.call<typeof listBundles>('GET', ROOT, { abort }),
    { everyMs: EVERY_MS },
  );
  const logged = route.value.query.get('log');
  const configured = route.value.query.get('settings');
  return (
    <section>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      {value === undefined && error === undefined ? <Outline /> : undefined}
      {value?.length === 0 ? (
        <p class="soft">
          {fill(SOFTWARE.noBundle)} <a href={linkTo(['software'])}>{fill(SOFTWARE.toPackages)}</a>
        </p>
      ) : undefined}
      {value === undefined || value.length === 0 ? undefined : (
        <BundleTable bundles={value} onChange={reload} />
      )}
      {configured === null ? undefined : (
        <BundleSettingsPanel key={configured} name={configured} onClose={() => setQuery('settings', '')} />
      )}
      {logged === null ? undefined : (
        <BundleLogPanel key={logged} name={logged} onClose={() => setQuery('log', '')} />
      )}
    </section>
  );
}

function BundleTable({
  bundles,
  onChange,
}: Readonly<{ bundles: readonly Bundle[]; onChange: () => void }>): JSX.Element {
  return (
    <table class="bundles">
      <thead>
        <tr>
          <th scope="col">{fill(SOFTWARE.name)}</th>
          <th scope="col">{fill(SOFTWARE.state)}</th>
          <th scope="col">{fill(SOFTWARE.permissions)}</th>
          <th scope="col">{fill(SOFTWARE.storage)}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {bundles.map((bundle) => (
          <BundleRow key={`${bundle.package} ${bundle.name}`} bundle={bundle} onChange={onChange} />
        ))}
      </tbody>
    </table>
  );
}

function BundleRow({ bundle, onChange }: Readonly<{ bundle: Bundle; onChange: () => void }>): JSX.Element {
  const { name, version, state, cause, permissions, memoryMib, storage } = bundle;
  return (
    <tr>
      <td>
        {name} <span class="values">{version}</span>
        <div class="faint">{bundle.package}</div>
      </td>
      <td>
        <StateWord {...shownBundle(state)} />
        {cause === undefined ? undefined : <div>{causeWords(bundle)}</div>}
        {bundle.status === undefined ? undefined : <Report status={bundle.status} />}
        <NextStart bundle={bundle} />
      </td>
      <td class="soft">
        {wordsOfPermissions(permissions)}
        {memoryMib === undefined ? undefined : (
          <div>{fill(SOFTWARE.memory, { size: formatBytes(memoryMib * 1_048_576) })}</div>
        )}
      </td>
      <td>{storage === undefined ? '–' : <Storage storage={storage} />}</td>
      <td class="number">
        {/* A bundle for another platform is stored and never runs here. */}
        {state === 'RESOLVED' ? undefined : (
          <Restart name={name} onChange={onChange}>
            {bundle.hasSettings === true ? (
              <RowAction
                icon="edit"
                label={`${fill(SOFTWARE.settings)} ${name}`}
                href={linkTo(['software', 'bundles'], { settings: name })}
              />
            ) : undefined}
            <RowAction
              icon="list"
              label={`${fill(SOFTWARE.log)} ${name}`}
              href={linkTo(['software', 'bundles'], { log: name })}
            />
          </Restart>
        )}
      </td>
    </tr>
  );
}

const REPORT_TONES = { OK: 'good', WARNING: 'attention', ERROR: 'fault' } as const;

/** What the bundle reports of itself. */
function Report({ status }: { readonly status: NonNullable<Bundle['status']> }): JSX.Element {
  const { state, counters = {} } = status;
  const counted = Object.entries(counters).map(([name, value]) => counterWords(name, value));
  return (
    <>
      <div>
        <StateWord tone={REPORT_TONES[state]} words={reportWords(status) ?? fill(REPORT_STATES[state])} />
      </div>
      {counted.length === 0 ? undefined : <div class="values">{counted.join(', ')}</div>}
    </>
  );
}

function NextStart({ bundle: { restartAt } }: { readonly bundle: Bundle }): JSX.Element | undefined {
  const { rest } = useConsole();
  useNow();
  if (restartAt === undefined) return undefined;
  const span = formatSpan(restartAt - rest.gatewayNowMs());
  return <div class="soft">{fill(SOFTWARE.nextStart, { span })}</div>;
}

function Storage({ storage }: { readonly storage: NonNullable<Bundle['storage']> }): JSX.Element {
  const { usedBytes, maximumBytes, isFull } = storage;
  return (
    <>
      <RangeBar
        label={fill(SOFTWARE.storage)}
        words={fill(SOFTWARE.usedOf, { used: formatBytes(usedBytes), maximum: formatBytes(maximumBytes) })}
        minimum={0}
        maximum={Math.max(1, maximumBytes)}
        value={usedBytes}
        tone={isFull ? 'attention' : 'none'}
      />
      <div class="code">
        {fill(SOFTWARE.usedOf, { used: formatBytes(usedBytes), maximum: formatBytes(maximumBytes) })}
      </div>
      {isFull ? <StateWord tone="attention" words={fill(SOFTWARE.full)} /> : undefined}
    </>
  );
}

interface RestartProps {
  readonly name: string;
  readonly onChange: () => void;
  /** Other actions of the row. */
  readonly children: ComponentChildren;
}

function Restart({ name, onChange, children }: RestartProps): JSX.Element {
  const { rest } = useConsole();
  const [words, setWords] = useState('');
  const [error, setError] = useState<unknown>(undefined);
  const [isBusy, setBusy] = useState(false);
  const restart = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await rest.call<typeof restartBundle>('POST', `${ROOT}/${encodeURIComponent(name)}/_restart`);
      setWords(fill(SOFTWARE.restartRequested, { time: formatTime(Date.now()) }));
      onChange();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <span class="row-actions">
        {children}
        <RowAction
          icon="again"
          label={`${fill(SOFTWARE.restart)} ${name}`}
          isBusy={isBusy}
          onClick={() => void restart()}
        />
      </span>
      <div class="soft" role="status">
        {words}
      </div>
      {error === undefined ? undefined : <FailureNotice error={error} />}
    </>
  );
}
