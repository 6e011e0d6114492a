import { Menu, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useState } from "react";
import { part } from "../../api/part";
import { useIsAdmin, useMe } from "../../api/queries";
import type { InboxView, SavedView } from "../../api/types";
import { useText } from "../../i18n";
import { IconButton } from "../../ui/IconButton";
import { Icon } from "../../ui/icons";
import { toast, toastError } from "../../ui/toasts";
import { useDeleteView, useSaveView, viewsQuery } from "../data/views";
import { usePlace } from "../place";
import styles from "./ViewsMenu.module.css";

const SaveViewDialog = lazy(() => part(() => import("./SaveViewDialog")));

const others: readonly InboxView[] = ["mentions", "snoozed"];

/** The views that have no tab, and those that people saved. */
export function ViewsMenu() {
  const t = useText("inbox");
  const { show } = usePlace();
  const [saving, setSaving] = useState(false);
  return (
    <>
      <Menu position="bottom-start" width={260}>
        <Menu.Target>
          <Tooltip label={t.savedViews}>
            <IconButton icon="bookmark" label={t.savedViews} size={32} />
          </Tooltip>
        </Menu.Target>
        <Menu.Dropdown>
          {others.map((view) => (
            <Menu.Item key={view} onClick={() => show({ view, search: {} })}>
              {t.view[view]}
            </Menu.Item>
          ))}
          <Menu.Label>{t.savedViews}</Menu.Label>
          <Saved />
          <Menu.Divider />
          <Menu.Item leftSection={<Icon name="plus" size={16} />} onClick={() => setSaving(true)}>
            {t.saveView}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {saving && (
        <Suspense>
          <SaveViewDialog onClose={() => setSaving(false)} />
        </Suspense>
      )}
    </>
  );
}

function Saved() {
  const t = useText("inbox");
  const me = useMe();
  const admin = useIsAdmin();
  const { show } = usePlace();
  const remove = useDeleteView();
  const save = useSaveView();
  const views = useQuery(viewsQuery).data ?? [];
  const drop = ({ id, name, filter, shared }: SavedView) =>
    void remove.mutateAsync(id).then(() => {
      const undo = () => void save.mutateAsync({ name, filter, shared }).catch(toastError);
      toast(t.viewDeleted(name), { undo });
    }, toastError);
  const open = ({ filter: { view, ...search } }: SavedView) => show({ view: view ?? "all", search });
  if (views.length === 0) return <Menu.Item disabled>{t.noViews}</Menu.Item>;
  return views.map((view) => (
    <div key={view.id} className={styles.view}>
      <Menu.Item leftSection={view.shared ? <Icon name="people" size={16} /> : undefined} onClick={() => open(view)}>
        {view.name}
      </Menu.Item>
      {(view.owner_id === me.user.id || (view.shared && admin)) && (
        <IconButton
          icon="close"
          label={t.deleteView(view.name)}
          iconSize={14}
          size={28}
          onClick={() => drop(view)}
        />
      )}
    </div>
  ));
}
