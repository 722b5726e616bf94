import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import type { ScanFinding, ScanResult } from '../../../../interface/plant/scans.ts';
import { ChangeOutcomeNotice } from '../../../forms/change/document-change.tsx';
import { PendingPanel } from '../../../forms/change/pending-panel.tsx';
import { useKept } from '../../../forms/use-kept.ts';
import type { Schema } from '../../../forms/schema.ts';
import { pendingChange } from '../../../live/pending-change.ts';
import { Notice } from '../../../parts/notice.tsx';
import { linkTo } from '../../../parts/route.ts';
import { DEVICES } from '../../../text/devices.ts';
import { fill } from '../../../text/fill.ts';
import { addOffers } from './device-part.ts';
import { DeviceStep, suggestPid } from './device-step.tsx';
import type { TypedDevice } from './device-step.tsx';
import type { Offer } from './offer.ts';
import { toFoundParts } from './part-ranges.ts';
import type { Step } from './steps.tsx';

interface FoundDeviceProps {
  /** Of the scan, or of what was received without one. */
  readonly id: string;
  readonly result: ScanResult;
  readonly connection: NonNullable<ScanResult['connection']>;
  readonly findings: readonly ScanFinding[];
  /** Values of the only asset, found without a scan. */
  readonly offers: readonly Offer[] | undefined;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly schema: Schema;
  readonly onStep: (step: Step) => void;
  readonly onAnother: () => void;
}

/** A found device, until its assets are there and can be opened. */
export function FoundDevice(props: FoundDeviceProps): JSX.Element {
  const { id, result, findings, offers, onStep, onAnother, ...others } = props;
  const [{ parts: begun, rangesOf }] = useState(() => toFoundParts(result, findings));
  const form = useKept<TypedDevice>(`device ${id}`, () => ({
    pid: suggestPid(others.settings, others.connection),
    parts: offers === undefined ? begun : begun.map((part) => addOffers(part, offers)),
  }));
  const [assets, setAssets] = useState<readonly string[] | undefined>(undefined);
  const isPending = pendingChange.value !== undefined;
  // An apply that failed leaves nothing to open.
  const [wasPending, setWasPending] = useState(false);
  useEffect(() => {
    if (assets === undefined || !isPending) return;
    setWasPending(true);
    onStep('KEEP');
  }, [assets, isPending]);
  if (assets !== undefined && wasPending) return <AddedDevice assets={assets} onAnother={onAnother} />;
  return (
    <>
      {offers?.length === 0 ? <Notice level="info">{fill(DEVICES.noNumbers)}</Notice> : undefined}
      <DeviceStep
        {...others}
        findings={findings}
        form={form}
        rangesOf={rangesOf}
        onStep={onStep}
        onApplied={setAssets}
      />
    </>
  );
}

/** What was added, with the way to its values. */
function AddedDevice({
  assets,
  onAnother,
}: Pick<FoundDeviceProps, 'onAnother'> & { readonly assets: readonly string[] }): JSX.Element {
  const pending = pendingChange.value;
  return (
    <section class="added-device">
      {assets.length === 0 ? undefined : <h2>{fill(DEVICES.connected, { names: assets.join(', ') })}</h2>}
      {pending === undefined ? undefined : <PendingPanel key={pending.snapshot} pending={pending} />}
      <ChangeOutcomeNotice />
      <div class="tools">
        {assets.map((asset) => (
          <a key={asset} class="button" href={linkTo(['assets', asset])}>
            {fill(DEVICES.openAsset, { name: asset })}
          </a>
        ))}
        <button type="button" onClick={onAnother}>
          {fill(DEVICES.addAnother)}
        </button>
      </div>
    </section>
  );
}
