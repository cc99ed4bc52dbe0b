import { expect, it, onTestFinished } from 'vitest';
import { makeRoles } from '../../deploy/support/make-roles.ts';
import { freshDatabase } from '../support/engines.ts';
import { askForPassword, asOwner, roleName, urlAs } from '../support/roles.ts';

it('the role of the compose file has the password of its file, also a new one, and is nothing more than a role', async () => {
  const owner = await freshDatabase();
  const role = roleName('runtime');
  onTestFinished(async () => void (await asOwner(owner, `DROP ROLE ${role}`)));
  const isLetIn = (password: string) =>
    asOwner(urlAs(owner, role, password), 'SELECT 1').then(
      () => true,
      (error: { readonly code?: string }) => error.code,
    );
  await makeRoles(owner, role, '1a2b');
  await askForPassword(owner, role);
  expect([await isLetIn('1a2b'), await isLetIn('3c4d')]).toEqual([true, '28P01']);
  await asOwner(owner, `ALTER ROLE ${role} SUPERUSER CREATEROLE`);
  await makeRoles(owner, role, '3c4d');
  expect([await isLetIn('1a2b'), await isLetIn('3c4d')]).toEqual(['28P01', true]);
  const [found] = await asOwner(
    owner,
    `SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolreplication OR rolbypassrls AS more FROM pg_roles WHERE rolname = '${role}'`,
  );
  expect(found).toEqual({ more: false });
});
