import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import { RestFailure } from '../../api/rest-failure.ts';
import { listBundleFields, mergeTexts } from '../../forms/bundle-settings.ts';
import { ChangeEnd, changeTarget, useDocumentChange } from '../../forms/change/document-change.tsx';
import { listItems } from '../../forms/change/edit-target.ts';
import { SchemaFields } from '../../forms/schema-fields.tsx';
import { writeFields } from '../../forms/schema.ts';
import type { Schema } from '../../forms/schema.ts';
import { isSecretMarker } from '../../forms/secret.ts';
import { useKept } from '../../forms/use-kept.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { linkTo } from '../../parts/route.ts';
import { useResource } from '../../parts/use-resource.ts';
import { DEVICES } from '../../text/devices.ts';
import { fill } from '../../text/fill.ts';
import { SHELL } from '../../text/shell.ts';
import { SOFTWARE } from '../../text/software.ts';

/** Form for the settings of a bundle: plan first, then a change that reverts unless confirmed. */
export function BundleSettingsPanel({
  name,
  onClose,
}: Readonly<{ name: string; onClose: () => void }>): JSX.Element {
  const { rest } = useConsole();
  const schema = useResource('schema', (abort) =>
    rest.get<Schema>('/services/configuration/v1/schema', abort),
  );
  const form = useKept<Readonly<Record<string, string>>>(`settings ${name}`, () => ({}));
  const change = useDocumentChange(() => form.restart(form.value));
  const { configuration, steps } = change;
  const typed = form.value;
  const fields = schema.value === undefined ? undefined : listBundleFields(schema.value, name);
  const loaded = configuration.value;
  const item = listItems(loaded?.document ?? {}, 'bundles').find(({ pid }) => pid === name);
  const settings = (item?.['settings'] ?? {}) as Readonly<Record<string, unknown>>;
  const texts = { ...writeFields(fields ?? [], settings), ...typed };
  const secrets = Object.entries(settings).flatMap(([key, value]) => (isSecretMarker(value) ? [key] : []));
  const plan = (): void => {
    if (loaded === undefined || fields === undefined) return;
    const body = { pid: name, settings: mergeTexts(fields, settings, texts) };
    void steps.plan(changeTarget(loaded, ['bundles', name], body));
  };
  const faults = steps.error instanceof RestFailure ? steps.error.faults : [];
  return (
    <section class="bundle-settings" aria-label={fill(SOFTWARE.settingsOf, { name })}>
      <h2>{fill(SOFTWARE.settingsOf, { name })}</h2>
      {schema.error === undefined ? undefined : (
        <FailureNotice error={schema.error} onRetry={schema.reload} />
      )}
      {secrets.length === 0 ? undefined : (
        <p class="soft">{fill(SOFTWARE.secretsKept, { names: secrets.join(', ') })}</p>
      )}
      <form
        class="connect"
        onSubmit={(event) => {
          event.preventDefault();
          plan();
        }}
        onInput={() => steps.clear()}
      >
        <SchemaFields
          fields={fields ?? []}
          texts={texts}
          faults={faults}
          onChange={(key, text) => form.type((before) => ({ ...before, [key]: text }))}
        />
        <div class="tools">
          <button type="submit" disabled={steps.isBusy || loaded === undefined || fields === undefined}>
            {fill(DEVICES.plan)}
          </button>
          <a href={linkTo(['configuration', 'bundles', name])}>{fill(SOFTWARE.asText)}</a>
          <button type="button" onClick={onClose}>
            {fill(SHELL.close)}
          </button>
        </div>
      </form>
      <ChangeEnd {...change} />
    </section>
  );
}
