// The forms of the API reference: they send what stands in their fields to this registry. Nothing is kept, the key least of all.

/** Characters of an answer that are shown. */
const SHOWN = 200_000;

for (const form of document.querySelectorAll('form.try')) enliven(form);

function enliven(form) {
  for (const control of form.querySelectorAll('[disabled]')) control.disabled = false;
  form.querySelector('button').hidden = false;
  const show = () => {
    form.querySelector('[data-curl]').textContent = curlLine(form, requestOf(form));
  };
  form.addEventListener('input', show);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    send(form);
  });
  // a browser keeps the fields of a page that is left, and fills them again after a reload or on the way back: not the key
  window.addEventListener('pagehide', () => forgetKey(form));
  window.addEventListener('pageshow', () => {
    forgetKey(form);
    show();
  });
  show();
}

function forgetKey(form) {
  form.querySelector('#api-key').value = '';
}

/** What stands in the fields, as a request of this origin. An empty field asks for nothing. */
function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  let body;
  for (const control of form.querySelectorAll('[data-in]')) {
    const { value, name, tagName } = control;
    const place = control.dataset.in;
    if (place === 'body') body = value;
    else if (place === 'path') path = path.replace(`{${name}}`, () => segment(value));
    else
      for (const one of tagName === 'TEXTAREA' ? value.split('\n') : [value])
        if (one !== '') query.append(name, one);
  }
  const text = query.toString();
  return { method: form.dataset.method, target: text === '' ? path : `${path}?${text}`, body };
}

/** One segment of a path, whatever it holds: browsers take `.` and `..` for steps, even when they are encoded. */
function segment(value) {
  return value === '.' || value === '..' ? '' : encodeURIComponent(value);
}

function curlLine(form, { method, target, body }) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const parts = [`curl${method === 'GET' ? '' : ` -X ${method}`} ${quoted(location.origin + target)}`];
  if (form.querySelector('#api-key').value !== '') parts.push('-H "Authorization: Bearer $API_KEY"');
  if (body !== undefined) parts.push("-H 'Content-Type: application/json'", `-d ${quoted(body)}`);
  return parts.join(' \\\n  ');
}

async function send(form) {
  const { method, target, body } = requestOf(form);
  const key = form.querySelector('#api-key').value.trim();
  const button = form.querySelector('button');
  const began = performance.now();
  button.disabled = true;
  try {
    const answer = await fetch(target, {
      method,
      body,
      mode: 'same-origin',
      credentials: 'omit',
      cache: 'no-store',
      redirect: 'error',
      headers: {
        ...(key !== '' && { Authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
    });
    const text = await answer.text();
    const ms = Math.round(performance.now() - began);
    const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
    tell(form, `${answer.status} ${answer.statusText} in ${ms} ms`, headers, readable(answer, text));
  } catch (error) {
    tell(form, 'No answer', '', `${error.message}. See whether the registry is still there.`);
  } finally {
    button.disabled = false;
  }
}

function readable(answer, text) {
  const isJson = /json/.test(answer.headers.get('content-type') ?? '');
  let shown = text;
  try {
    if (isJson) shown = JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // as it came
  }
  if (shown.length <= SHOWN) return shown;
  return `${shown.slice(0, SHOWN)}\n… and ${shown.length - SHOWN} more characters`;
}

function tell(form, status, headers, body) {
  const result = form.querySelector('[data-answer]');
  result.hidden = false;
  result.querySelector('[data-status]').textContent = status;
  result.querySelector('[data-headers]').textContent = headers;
  result.querySelector('details').hidden = headers === '';
  result.querySelector('[data-body]').textContent = body;
}
