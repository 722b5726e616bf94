import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import type { BrowsedNode } from '../../../interface/plant/browsing.ts';
import { ChangeEnd, changeTarget, useDocumentChange } from '../../forms/change/document-change.tsx';
import { getPart, listItems } from '../../forms/change/edit-target.ts';
import type { Document } from '../../forms/change/edit-target.ts';
import type { LoadedConfiguration } from '../../forms/change/use-configuration.ts';
import { DEVICES } from '../../text/devices.ts';
import { fill } from '../../text/fill.ts';
import { BrowseTree } from './browse-tree.tsx';
import { DriverSection } from './driver-choice.tsx';

/** Node that becomes a channel, with the channel name. */
interface ChosenNode {
  readonly node: string;
  readonly name: string;
  readonly channel: Readonly<Record<string, unknown>>;
}

/** Browser of an OPC UA server; selected values become channels. */
export function BrowseView({ pid }: { readonly pid: string | undefined }): JSX.Element {
  return (
    <DriverSection section="browse" pid={pid} type="opcua" empty={fill(DEVICES.noBrowsable)}>
      {(driver) => <ServerNodes key={driver.pid} pid={driver.pid} />}
    </DriverSection>
  );
}

function ServerNodes({ pid }: { readonly pid: string }): JSX.Element {
  const [chosen, setChosen] = useState<readonly ChosenNode[]>([]);
  const [asset, setAsset] = useState('');
  const change = useDocumentChange();
  const { configuration, steps } = change;
  const assets = listItems(configuration.value?.document ?? {}, 'assets').filter(
    ({ driver }) => driver === pid,
  );
  const update = (next: readonly ChosenNode[]): void => {
    setChosen(next);
    steps.clear();
  };
  const toggle = ({ node, browseName, variable }: BrowsedNode): void => {
    if (node === undefined || variable?.channel === undefined) return;
    const others = chosen.filter((each) => each.node !== node);
    const isChosen = others.length < chosen.length;
    const name = nameAmong(
      browseName,
      others.map((each) => each.name),
    );
    update(isChosen ? others : [...chosen, { node, name, channel: { ...variable.channel } }]);
  };
  const plan = (): void => {
    if (configuration.value === undefined) return;
    void steps.plan(addChannels(configuration.value, { pid: asset.trim(), driver: pid, chosen }));
  };
  return (
    <>
      <p class="soft">{fill(DEVICES.chooseNodes)}</p>
      <BrowseTree pid={pid} chosen={new Set(chosen.map(({ node }) => node))} onToggle={toggle} />
      {chosen.length === 0 ? undefined : (
        <form
          class="connect"
          onSubmit={(event) => {
            event.preventDefault();
            plan();
          }}
        >
          <h2>{fill(DEVICES.chosen)}</h2>
          <ul class="chosen-nodes">
            {chosen.map((each, index) => (
              <li key={each.node}>
                <input
                  class="code"
                  aria-label={fill(DEVICES.channelName, { node: each.node })}
                  required
                  autocomplete="off"
                  value={each.name}
                  onInput={({ currentTarget }) =>
                    update(chosen.with(index, { ...each, name: currentTarget.value }))
                  }
                />{' '}
                <span class="code faint">{each.node}</span>
              </li>
            ))}
          </ul>
          <label class="field">
            <span>{fill(DEVICES.addTo)}</span>
            <input
              name="asset"
              class="code"
              list="assets-of-driver"
              required
              autocomplete="off"
              value={asset}
              onInput={({ currentTarget }) => {
                setAsset(currentTarget.value);
                steps.clear();
              }}
            />
            <datalist id="assets-of-driver">
              {assets.map(({ pid: each }) => (
                <option key={String(each)} value={String(each)} />
              ))}
            </datalist>
          </label>
          <div class="tools">
            <button type="submit" disabled={steps.isBusy || asset.trim() === ''}>
              {fill(DEVICES.plan)}
            </button>
          </div>
        </form>
      )}
      <ChangeEnd {...change} />
    </>
  );
}

function addChannels(
  configuration: LoadedConfiguration,
  { pid, driver, chosen }: Readonly<{ pid: string; driver: string; chosen: readonly ChosenNode[] }>,
) {
  const before = getPart(configuration.document, ['assets', pid]) as Document | undefined;
  const current: unknown = before?.['channels'];
  const channels = [
    ...(Array.isArray(current) ? (current as readonly unknown[]) : []),
    ...chosen.map(({ name, channel }) => ({ name, ...channel })),
  ];
  return changeTarget(configuration, ['assets', pid], { driver, ...before, channels });
}

function nameAmong(wanted: string, taken: readonly string[]): string {
  if (!taken.includes(wanted)) return wanted;
  for (let count = 2; ; count += 1) if (!taken.includes(`${wanted}-${count}`)) return `${wanted}-${count}`;
}
