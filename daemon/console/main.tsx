import { render } from 'preact';

import { Rest } from './api/rest.ts';
import { PageSession } from './api/session.ts';
import { ConsoleContext } from './api/console-context.ts';
import { App } from './views/app.tsx';
import { watchVersion } from './views/new-version.tsx';
import { watchTabOwner } from './views/tab-owner.ts';
import { language, showLanguage } from './text/language.ts';
import './style/tokens.css';
import './style/base.css';
import './style/shell.css';
import './style/loading.css';
import './parts/grid/grid.css';
import './parts/range-bar.css';
import './parts/section-links.css';
import './views/style.ts';

const place = document.getElementById('console');
if (place !== null) {
  void showLanguage(language.value);
  const rest = new Rest();
  const session = new PageSession(rest);
  watchTabOwner(session);
  watchVersion(rest.link, session);
  render(
    <ConsoleContext.Provider value={{ rest, session }}>
      <App />
    </ConsoleContext.Provider>,
    place,
  );
  for (const kind of ['pointerdown', 'keydown'] as const) addEventListener(kind, () => rest.recordInput());
  await session.resume();
}
