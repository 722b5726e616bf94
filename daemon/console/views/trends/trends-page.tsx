import type { JSX } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { loadMeanings, nameCause, translateCause } from '../../parts/gateway-words.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { replaceQuery, route, setQuery } from '../../parts/route.ts';
import { explainStreamEnd } from '../../parts/stream-words.ts';
import { fill } from '../../text/fill.ts';
import { TRENDS } from '../../text/trends.ts';
import { keptCollector } from '../../trend/trend-collector.ts';
import { keyOfCurve, MAXIMUM_CURVES, parseCurves, writeCurves } from '../../trend/trend-curve.ts';
import type { CurveName } from '../../trend/trend-curve.ts';
import { rememberLink } from '../../trend/trend-memory.ts';
import type { PageProps } from '../pages.ts';
import { ChannelSearch } from './channel-search.tsx';
import { TrendView } from './trend-view.tsx';
import { useCurves } from './use-curves.ts';
import { useTrendMemory } from './use-trend-memory.ts';

/** Curves of any channels, recorded by the gateway and collected by the tab. */
export function TrendsPage({ title }: PageProps): JSX.Element {
  const { rest, session } = useConsole();
  const identity = session.name ?? '';
  const wanted = route.value.query.get('c') ?? '';
  const names = useMemo(() => parseCurves(wanted), [wanted]);
  const { value, error, reload } = useCurves(names);
  // While channels of a new selection load, loaded ones stay.
  const [known, setKnown] = useState(value ?? []);
  useEffect(() => {
    if (value !== undefined) setKnown(value);
  }, [value]);
  const curves = names.flatMap((name) => known.filter(({ key }) => key === keyOfCurve(name)));
  const collector = keptCollector(rest, identity, () => ({
    lost: fill(TRENDS.lost),
    missing: fill(TRENDS.missing),
    away: fill(TRENDS.away),
    recorded: {
      reasons: {
        RETENTION: fill(TRENDS.retention),
        DISK: fill(TRENDS.disk),
        DAMAGED: fill(TRENDS.damaged),
        STOPPED: fill(TRENDS.stopped),
        DEVICE_LOST: fill(TRENDS.deviceLost),
      },
      // A recorded failure has its code in place of a message.
      named: (code, message) => (message === code ? nameCause(code) : translateCause(code, message)),
      bad: fill(TRENDS.bad),
      ended: fill(TRENDS.notRecorded),
    },
  }));
  const isSignedIn = session.state.value.kind === 'SIGNED_IN';
  const collected = writeCurves(curves.flatMap(({ name, channel }) => (channel === undefined ? [] : [name])));
  useEffect(() => {
    if (isSignedIn) void collector.listen(parseCurves(collected));
    else collector.interrupt();
  }, [collector, collected, isSignedIn]);
  useTrendMemory(collector, identity);
  // Recorded gaps are named once, when they are read.
  useEffect(loadMeanings, []);
  const choose = (next: readonly CurveName[]): void => {
    if (next.length > 0) {
      setQuery('c', writeCurves(next));
      return;
    }
    // Otherwise the page would show the last trend again.
    rememberLink(identity, '');
    replaceQuery(new URLSearchParams());
  };

  return (
    <>
      <header>
        <h1>{title}</h1>
        <ChannelSearch
          isFull={names.length >= MAXIMUM_CURVES}
          chosen={new Set(names.map(keyOfCurve))}
          onChoose={(name) => choose([...names, name])}
        />
      </header>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      {collector.refusal.value === undefined ? undefined : (
        <Notice level="attention">{explainStreamEnd(collector.refusal.value)}</Notice>
      )}
      {names.length === 0 ? <p class="soft">{fill(TRENDS.none)}</p> : undefined}
      {curves.length === 0 ? undefined : (
        <TrendView
          curves={curves}
          collector={collector}
          onRemove={(gone) => choose(names.filter((name) => keyOfCurve(name) !== keyOfCurve(gone)))}
        />
      )}
    </>
  );
}
