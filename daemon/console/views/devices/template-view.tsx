import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

import { useConsole } from '../../api/console-context.ts';
import { RestFailure } from '../../api/rest-failure.ts';
import type {
  Template,
  TemplateHead,
  listTemplates,
  readTemplate,
} from '../../../interface/plant/templates.ts';
import { ChangeEnd, changeTarget, useDocumentChange } from '../../forms/change/document-change.tsx';
import { CONFIGURATION_ROOT, listItems } from '../../forms/change/edit-target.ts';
import type { DocumentChange } from '../../forms/change/document-change.tsx';
import { readFields } from '../../forms/schema.ts';
import type { Field } from '../../forms/schema.ts';
import { SchemaFields } from '../../forms/schema-fields.tsx';
import { useKept } from '../../forms/use-kept.ts';
import type { KeptForm } from '../../forms/use-kept.ts';
import { FailureNotice, Notice } from '../../parts/notice.tsx';
import { translateFault } from '../../parts/gateway-words.ts';
import { linkTo } from '../../parts/route.ts';
import { translateDescription } from '../../parts/setting-words.ts';
import { StateWord } from '../../parts/state-word.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { DEVICES } from '../../text/devices.ts';
import { Outline } from '../../parts/outline.tsx';
import { fill } from '../../text/fill.ts';
import { formatCount } from '../../text/format.ts';

const TEMPLATES = `${CONFIGURATION_ROOT}/templates`;

/** Creates an asset from a device template. */
export function TemplateView({ name }: { readonly name: string | undefined }): JSX.Element {
  return name === undefined ? <TemplateChoice /> : <TemplateForm key={name} name={name} />;
}

function TemplateChoice(): JSX.Element {
  const { rest } = useConsole();
  const [filter, setFilter] = useState('');
  const { value, error, reload } = useResource('templates', (abort) =>
    rest.call<typeof listTemplates>('GET', TEMPLATES, { abort }),
  );
  const words = filter.trim().toLowerCase();
  const shown = (value?.templates ?? []).filter((template) => textOf(template).includes(words));
  return (
    <section>
      <p class="soft">{fill(DEVICES.templateHint)}</p>
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      <label class="field">
        <span>{fill(DEVICES.filter)}</span>
        <input
          type="search"
          name="filter"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      </label>
      {value !== undefined && shown.length === 0 ? (
        <p class="soft">{fill(DEVICES.noTemplate, { filter })}</p>
      ) : undefined}
      <ul class="templates">
        {shown.map((template) => (
          <li key={template.name}>
            <a href={linkTo(['devices', 'template', template.name])}>{translateDescription(template)}</a>{' '}
            <span class="soft">{modelOf(template)}</span>
          </li>
        ))}
      </ul>
      {(value?.unusable ?? []).map(({ file, faults, details }) => (
        <Notice key={file} level="attention">
          {file}: {(details?.map(translateFault) ?? faults).join('; ')}
        </Notice>
      ))}
    </section>
  );
}

function TemplateForm({ name }: { readonly name: string }): JSX.Element {
  const { rest } = useConsole();
  const { value, error, reload } = useResource(name, (abort) =>
    rest.call<typeof readTemplate>('GET', `${TEMPLATES}/${encodeURIComponent(name)}`, { abort }),
  );
  const form = useKept<TypedAsset>(`template ${name}`, () => ({ pid: '', chosen: '', texts: {} }));
  const change = useDocumentChange(() => form.restart(form.value));
  return (
    <section class="plan-step">
      {error === undefined ? undefined : <FailureNotice error={error} onRetry={reload} />}
      {value === undefined && error === undefined ? <Outline /> : undefined}
      {value === undefined ? undefined : (
        <>
          <h2>{translateDescription(value)}</h2>
          <p class="soft">
            {modelOf(value)} · {fill(DEVICES.channelCount, { count: formatCount(value.channels.length) })}
            <br />
            {fill(DEVICES.templateSource, { source: translateDescription({ title: value.source }) })}
          </p>
          <AssetOfTemplate template={value} change={change} form={form} />
        </>
      )}
      <ChangeEnd {...change} />
    </section>
  );
}

/** Input for an asset of a template. */
interface TypedAsset {
  readonly pid: string;
  /** Connection; empty: the first. */
  readonly chosen: string;
  readonly texts: Readonly<Record<string, string>>;
}

function AssetOfTemplate({
  template,
  change,
  form,
}: Readonly<{ template: Template; change: DocumentChange; form: KeptForm<TypedAsset> }>): JSX.Element {
  const { configuration, steps } = change;
  const drivers = listItems(configuration.value?.document ?? {}, 'drivers').flatMap(({ pid: name, type }) =>
    type === template.driver && typeof name === 'string' ? [name] : [],
  );
  const { pid, chosen, texts } = form.value;
  const driver = chosen === '' ? (drivers[0] ?? '') : chosen;
  const fields = listFields(template);
  const faults = steps.error instanceof RestFailure ? steps.error.faults : [];
  const isTaken = listItems(configuration.value?.document ?? {}, 'assets').some(
    (each) => each['pid'] === pid.trim(),
  );
  const plan = (): void => {
    const { value } = configuration;
    if (value === undefined) return;
    const parameters = readFields(fields, texts);
    const asset = {
      driver,
      template: template.name,
      ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
    };
    void steps.plan(changeTarget(value, ['assets', pid.trim()], asset));
  };
  if (configuration.value !== undefined && drivers.length === 0) {
    return (
      <Notice level="info" actions={<a href={linkTo(['devices'])}>{fill(DEVICES.toConnect)}</a>}>
        {fill(DEVICES.templateNeeds, { kind: template.driver })}
      </Notice>
    );
  }
  return (
    <form
      class="connect"
      onSubmit={(event) => {
        event.preventDefault();
        plan();
      }}
    >
      <label class="field">
        <span>{fill(DEVICES.connection)}</span>
        <select
          name="driver"
          value={driver}
          onChange={({ currentTarget: { value } }) => form.type((before) => ({ ...before, chosen: value }))}
        >
          {drivers.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>{fill(DEVICES.newAsset)}</span>
        <input
          name="pid"
          class="code"
          required
          autocomplete="off"
          aria-describedby="pid-words"
          value={pid}
          onInput={({ currentTarget: { value } }) => {
            form.type((before) => ({ ...before, pid: value }));
            steps.clear();
          }}
        />
        <span id="pid-words" role="status">
          {isTaken ? (
            <StateWord tone="attention" words={fill(DEVICES.assetExists, { pid: pid.trim() })} />
          ) : undefined}
        </span>
      </label>
      <SchemaFields
        fields={fields}
        texts={texts}
        faults={faults}
        onChange={(field, text) => {
          form.type((before) => ({ ...before, texts: { ...before.texts, [field]: text } }));
          steps.clear();
        }}
      />
      <div class="tools">
        <button type="submit" disabled={steps.isBusy || pid.trim() === ''}>
          {fill(DEVICES.plan)}
        </button>
      </div>
    </form>
  );
}

function listFields({ parameters }: Template): readonly Field[] {
  return Object.entries(parameters).flatMap(([name, schema]) =>
    schema === undefined ? [] : [{ name, schema, isRequired: schema.default === undefined }],
  );
}

function textOf(template: TemplateHead): string {
  const { name, title, manufacturer, model, describes = '' } = template;
  const shown = [translateDescription({ title }), modelOf(template)];
  return [name, title, ...shown, manufacturer, model, describes].join(' ').toLowerCase();
}

/** Returns manufacturer and models in the current language. */
function modelOf({ manufacturer, model }: TemplateHead): string {
  return [manufacturer, model].map((title) => translateDescription({ title })).join(' ');
}
