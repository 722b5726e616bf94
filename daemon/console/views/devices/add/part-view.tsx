import type { JSX } from 'preact';
import { useId, useMemo } from 'preact/hooks';

import type { TemplateHead } from '../../../../interface/plant/templates.ts';
import type { DocumentFault } from '../../../../interface/failure.ts';
import type { Document } from '../../../forms/change/edit-target.ts';
import { ChannelEditor } from '../../../forms/channels/channel-editor.tsx';
import type { ChannelColumn } from '../../../forms/channels/channel-column.ts';
import { toCellFaults } from '../../../forms/channels/gateway-faults.ts';
import type { TrialPlace } from '../../../forms/channels/trial.ts';
import type { Field } from '../../../forms/schema.ts';
import { SchemaFields } from '../../../forms/schema-fields.tsx';
import { StateWord } from '../../../parts/state-word.tsx';
import { translateDescription } from '../../../parts/setting-words.ts';
import { CHANNELS } from '../../../text/channels.ts';
import { DEVICES } from '../../../text/devices.ts';
import { fill } from '../../../text/fill.ts';
import type { Text } from '../../../text/text.ts';
import { changeMeaning, listTaken, takeOffers } from './device-part.ts';
import type { DevicePart } from './device-part.ts';
import { arrangeOffers } from './offer.ts';
import type { Offer } from './offer.ts';
import { OfferTree } from './offer-tree.tsx';
import { RegisterSource } from './register-source.tsx';
import type { RegisterRange } from './register-offers.ts';

interface PartViewProps {
  readonly part: DevicePart;
  /** Why the name cannot be used; undefined: it can. */
  readonly nameFault: string | undefined;
  /** Changes the present state, also after a pause in which something was read. */
  readonly onChange: (change: (part: DevicePart) => DevicePart) => void;
  /** Adds offers that were read; a plan stays as it is. */
  readonly onOffers: (offers: readonly Offer[]) => void;
  readonly place: TrialPlace | undefined;
  /** Registers of the device; empty: it has none. */
  readonly ranges: readonly RegisterRange[];
  readonly columns: readonly ChannelColumn[];
  readonly defaults: Document;
  /** What the device says of itself. */
  readonly identification: string;
  /** Templates for the driver type. */
  readonly templates: readonly TemplateHead[];
  /** Errors of the gateway in this asset, with their paths from the top of the document. */
  readonly faults: readonly DocumentFault[];
}

/** One asset of a device: its name, and its channels from a template, ticks, or a pasted table. */
export function PartView(props: PartViewProps): JSX.Element {
  const words = useId();
  const {
    part,
    nameFault,
    onChange,
    onOffers,
    place,
    ranges,
    columns,
    defaults,
    identification,
    templates,
    faults,
  } = props;
  const root = useMemo(() => arrangeOffers(part.offers), [part.offers]);
  const taken = useMemo(() => listTaken(part), [part]);
  const cellFaults = useMemo(() => toCellFaults(faults, part.edits.present), [faults]);
  const { name, template, proposed } = part;
  const fitting = templates.filter(
    (each) => each.name === proposed.template || isNamedIn(each, identification),
  );
  const others = templates.filter((each) => !fitting.includes(each));
  const head = templates.find((each) => each.name === template);
  return (
    <section class="device-part" aria-label={proposed.pid}>
      <label class="choice">
        <input
          type="checkbox"
          checked={part.isTaken}
          onChange={({ currentTarget: { checked } }) => onChange((now) => ({ ...now, isTaken: checked }))}
        />{' '}
        {fill(DEVICES.takeAsset, { name: proposed.displayName ?? proposed.pid })}
      </label>
      {part.isTaken ? (
        <>
          <div class="tools">
            <label class="field">
              <span>{fill(DEVICES.newAsset)}</span>
              <input
                name="asset"
                class="values"
                required
                autocomplete="off"
                aria-invalid={nameFault !== undefined}
                aria-describedby={words}
                value={name}
                onInput={({ currentTarget: { value } }) => onChange((now) => ({ ...now, name: value }))}
              />
              <span id={words} role="status">
                {nameFault === undefined ? undefined : <StateWord tone="fault" words={nameFault} />}
              </span>
            </label>
            {templates.length === 0 ? undefined : (
              <label class="field">
                <span>{fill(DEVICES.chooseTemplate)}</span>
                <select
                  name="template"
                  value={template}
                  onChange={({ currentTarget: { value } }) =>
                    onChange((now) => ({ ...now, template: value }))
                  }
                >
                  <option value="">{fill(DEVICES.noTemplateChosen)}</option>
                  <TemplateOptions label={DEVICES.fits} templates={fitting} />
                  <TemplateOptions label={DEVICES.otherTemplates} templates={others} />
                </select>
              </label>
            )}
          </div>
          {head === undefined ? undefined : (
            <SchemaFields
              fields={listParameterFields(head)}
              texts={part.parameters}
              faults={faults}
              onChange={(field, text) =>
                onChange((now) => ({ ...now, parameters: { ...now.parameters, [field]: text } }))
              }
            />
          )}
          {template === '' && place !== undefined && ranges.length > 0 ? (
            <RegisterSource place={place} ranges={ranges} onOffers={onOffers} />
          ) : undefined}
          {template === '' && root.keys.length > 0 ? (
            <>
              <h2>{fill(DEVICES.deviceHas)}</h2>
              <p class="soft">{fill(DEVICES.deviceHint)}</p>
              <OfferTree
                label={fill(DEVICES.deviceHas)}
                root={root}
                taken={taken}
                onTake={(keys, isTaken) => onChange((now) => takeOffers(now, keys, isTaken))}
                onMeaning={(offer, { channel }) => onChange((now) => changeMeaning(now, offer, channel))}
              />
            </>
          ) : undefined}
          {template === '' ? (
            <>
              <h2>{fill(CHANNELS.channels)}</h2>
              <ChannelEditor
                label={fill(CHANNELS.channelsOf, { asset: name })}
                edits={part.edits}
                onEdits={(edits) => onChange((now) => ({ ...now, edits }))}
                columns={columns}
                gatewayFaults={cellFaults}
                place={place}
                defaults={defaults}
              />
            </>
          ) : undefined}
        </>
      ) : undefined}
    </section>
  );
}

/** Returns the form fields of the parameters of a template. */
export function listParameterFields({ parameters }: Pick<TemplateHead, 'parameters'>): readonly Field[] {
  return Object.entries(parameters).flatMap(([name, schema]) =>
    schema === undefined ? [] : [{ name, schema, isRequired: schema.default === undefined }],
  );
}

function TemplateOptions({
  label,
  templates,
}: Readonly<{ label: Text; templates: readonly TemplateHead[] }>): JSX.Element | undefined {
  if (templates.length === 0) return undefined;
  return (
    <optgroup label={fill(label)}>
      {templates.map(({ name, title }) => (
        <option key={name} value={name}>
          {translateDescription({ title })}
        </option>
      ))}
    </optgroup>
  );
}

/** True if a device names the model of a template when it identifies itself. */
function isNamedIn({ model }: Pick<TemplateHead, 'model'>, identification: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '');
  const own = plain(model);
  return own.length > 2 && plain(identification).includes(own);
}
