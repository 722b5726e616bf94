import type { JSX } from 'preact';

import { useConsole } from '../../api/console-context.ts';
import { listDriverKinds } from '../../forms/schema.ts';
import type { Schema } from '../../forms/schema.ts';
import { FailureNotice } from '../../parts/notice.tsx';
import { useResource } from '../../parts/use-resource.ts';
import { ConnectForm } from './connect-form.tsx';

/** Connects a device: protocol, address, what is found, plan, and apply with a way back. */
export function ConnectView(): JSX.Element {
  const { rest } = useConsole();
  const schema = useResource('schema', (abort) =>
    rest.get<Schema>('/services/configuration/v1/schema', abort),
  );
  const kinds = schema.value === undefined ? [] : listDriverKinds(schema.value);
  if (kinds.length > 0) return <ConnectForm kinds={kinds} />;
  if (schema.error === undefined) return <></>;
  return <FailureNotice error={schema.error} onRetry={schema.reload} />;
}
