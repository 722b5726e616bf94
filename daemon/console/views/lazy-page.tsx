import { signal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect } from 'preact/hooks';

import { useConsole } from '../api/console-context.ts';
import { isTextTarget } from '../forms/change/edit-target.ts';
import { preloadCodeEditor } from '../forms/editor/use-code-editor-module.ts';
import { Notice } from '../parts/notice.tsx';
import { route } from '../parts/route.ts';
import { fill } from '../text/fill.ts';
import { SHELL } from '../text/shell.ts';
import { findPage, PAGES } from './pages.ts';
import type { PageProps } from './pages.ts';

// By then the first page has its data; over a slow link, that takes a multiple of the time that its code took.
const AFTER_FIRST_PAGE_MS = 2000;
const AFTER_CODE = 4;

/** Load the views of all pages but the overview, by page. */
const LOADERS: Readonly<Record<string, (() => Promise<ComponentType<PageProps>>) | undefined>> = {
  assets: async () => (await import('./assets/assets-page.tsx')).AssetsPage,
  devices: async () => (await import('./devices/devices-page.tsx')).DevicesPage,
  trends: async () => (await import('./trends/trends-page.tsx')).TrendsPage,
  record: async () => (await import('./record/record-page.tsx')).RecordPage,
  configuration: async () => (await import('./configuration/configuration-page.tsx')).ConfigurationPage,
  access: async () => (await import('./small-pages.ts')).AccessPage,
  north: async () => (await import('./small-pages.ts')).NorthPage,
  software: async () => (await import('./small-pages.ts')).SoftwarePage,
};

type Views = Readonly<Record<string, ComponentType<PageProps> | undefined>>;

const views = signal<Views>({});
/** Pages that could not be loaded. */
const failed = signal<ReadonlySet<string>>(new Set());
const loading = new Map<string, Promise<void>>();

/**
 * Loads the code of the page that is opened first, and soon afterwards that of all others, one after the other. A later loss of
 * the gateway then makes none of them unavailable.
 */
export function loadLazyPagesSoon(): void {
  const { parts } = route.value;
  const first = findPage(parts);
  const start = performance.now();
  const loaded = first === undefined ? Promise.resolve() : loadPage(first.name);
  if (first?.name === 'configuration' && isTextTarget(parts)) void preloadCodeEditor();
  void loaded.then(() => {
    const pauseMs = Math.max(AFTER_FIRST_PAGE_MS, (performance.now() - start) * AFTER_CODE);
    setTimeout(() => void loadOthers(), pauseMs);
  });
}

/** Page whose code is loaded on demand. */
export function LazyPage({ name, title }: PageProps & { readonly name: string }): JSX.Element {
  const { isUp } = useConsole().rest.link.state.value;
  useEffect(() => void loadPage(name), [name, isUp]);
  const View = views.value[name];
  if (View !== undefined) return <View title={title} />;
  // While the gateway is unreachable, the strip says so; loading is retried when it responds.
  return failed.value.has(name) && isUp ? <MissingPage title={title} /> : <></>;
}

/** Some browsers cache the failure of a file, and an upgrade renames files: only a reload helps. */
function MissingPage({ title }: PageProps): JSX.Element {
  return (
    <>
      <header>
        <h1>{title}</h1>
      </header>
      <Notice
        level="fault"
        actions={
          <button type="button" onClick={() => location.reload()}>
            {fill(SHELL.reload)}
          </button>
        }
      >
        {fill(SHELL.pageNotLoaded)}
      </Notice>
    </>
  );
}

async function loadOthers(): Promise<void> {
  for (const { name } of PAGES) await loadPage(name);
}

/** Never rejects: what cannot be loaded is marked as failed. */
function loadPage(name: string): Promise<void> {
  const load = LOADERS[name];
  if (load === undefined || views.value[name] !== undefined) return Promise.resolve();
  const known = loading.get(name);
  if (known !== undefined) return known;
  setFailed(name, false);
  const done = load()
    .then(
      (view) => {
        views.value = { ...views.value, [name]: view };
      },
      () => setFailed(name, true),
    )
    .finally(() => loading.delete(name));
  loading.set(name, done);
  return done;
}

function setFailed(name: string, isFailed: boolean): void {
  if (failed.value.has(name) === isFailed) return;
  const next = new Set(failed.value);
  if (isFailed) next.add(name);
  else next.delete(name);
  failed.value = next;
}
