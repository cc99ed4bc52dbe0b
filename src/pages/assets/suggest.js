// Suggests agents while somebody writes in the search box: a combobox with a list (WAI-ARIA Authoring Practices). Without this the
// form searches as ever.
const WAIT_MS = 200;
const MOST = 5;
const LEAST = 2;

for (const input of document.querySelectorAll('form.search input[data-suggest]')) enliven(input);

function enliven(input) {
  const list = document.createElement('ul');
  const said = document.createElement('p');
  const state = { active: -1, asked: '', timer: 0, asking: undefined };
  list.id = `${input.id}-suggestions`;
  list.className = 'suggestions';
  list.hidden = true;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'Agents');
  said.className = 'unseen';
  said.setAttribute('role', 'status');
  input.after(list, said);
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-autocomplete': 'list',
    'aria-controls': list.id,
    'aria-expanded': 'false',
  }))
    input.setAttribute(name, value);

  input.addEventListener('input', () => {
    clearTimeout(state.timer);
    state.timer = setTimeout(ask, WAIT_MS);
  });
  input.addEventListener('keydown', (event) => {
    if (event.isComposing) return;
    if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault(); // the first one closes the list, the next one empties the box
      return close();
    }
    if (list.hidden) return;
    if (event.key === 'Enter' && state.active >= 0) {
      event.preventDefault();
      return open(list.children[state.active]);
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    // one place beside the list: nothing is chosen, and the box says what was written
    const places = list.children.length + 1;
    choose(((state.active + 1 + step + places) % places) - 1);
  });
  input.addEventListener('blur', close);
  // a press keeps the box in focus, so that the list is there for the click
  list.addEventListener('pointerdown', (event) => event.preventDefault());
  list.addEventListener('click', (event) => open(event.target.closest('[role=option]')));

  async function ask() {
    const text = input.value.trim();
    if (text === state.asked) return;
    state.asked = text;
    state.asking?.abort();
    if (text.length < LEAST) return close();
    state.asking = new AbortController();
    const found = await search(input.form.action, text, state.asking.signal).catch(() => []);
    // what was asked for meanwhile is more recent, and whoever went elsewhere wants no list
    if (text === state.asked && document.activeElement === input) show(found);
  }

  function show(found) {
    list.replaceChildren(...found.map((agent, at) => option(agent, `${list.id}-${at}`)));
    choose(-1);
    list.hidden = found.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
    said.textContent = list.hidden
      ? ''
      : `${found.length} ${found.length === 1 ? 'agent' : 'agents'}, arrow keys choose`;
  }

  function choose(at) {
    state.active = at;
    for (const [place, one] of [...list.children].entries())
      one.setAttribute('aria-selected', String(place === at));
    if (at < 0) return input.removeAttribute('aria-activedescendant');
    input.setAttribute('aria-activedescendant', list.children[at].id);
    list.children[at].scrollIntoView({ block: 'nearest' });
  }

  function close() {
    clearTimeout(state.timer);
    state.asking?.abort();
    state.asked = '';
    show([]);
  }

  function open(chosen) {
    if (chosen !== null)
      location.assign(new URL(`agents/${encodeURIComponent(chosen.dataset.url)}`, input.form.action));
  }
}

async function search(site, text, signal) {
  const path = new URL('api/registry/agents/search', site);
  path.search = String(new URLSearchParams({ q: text, limit: String(MOST) }));
  const answer = await fetch(path, { headers: { accept: 'application/json' }, signal });
  return answer.ok ? (await answer.json()).results : [];
}

/** What agents say of themselves is text, whatever it is. */
function option({ url, name, type }, id) {
  const one = document.createElement('li');
  const [title, about] = [document.createElement('bdi'), document.createElement('span')];
  title.textContent = name || url;
  about.className = 'type';
  about.textContent = `${type} ${new URL(url).host}`;
  one.id = id;
  one.dataset.url = url;
  one.setAttribute('role', 'option');
  one.append(title, ' ', about);
  return one;
}
