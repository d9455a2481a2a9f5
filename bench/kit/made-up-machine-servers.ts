/** Made-up servers around code and machines, in the short form that `made-up-tools.ts` reads. */

import type { MadeUpServer } from './made-up-tools.ts';

export const machineServers: Readonly<Record<string, MadeUpServer>> = {
  forge: {
    title: 'Forge code hosting',
    about: 'repository',
    lines: `
create_issue(owner, repo, title, body?, labels?[], assignees?[], milestone?#) Opens an issue in a repository.
update_issue(owner, repo, issue_number#, title?, body?, state?=open|closed, labels?[]) Changes an issue.
list_issues(owner, repo, state?=open|closed|all, labels?[], sort?=created|updated|comments, direction?=asc|desc, since?, page?#, per_page?#) Lists the issues of a repository, with filters.
add_issue_comment(owner, repo, issue_number#, body) Adds a comment to an issue.
create_pull_request(owner, repo, title, head, base, body?, draft?~, maintainer_can_modify?~) Opens a pull request from one branch to another.
merge_pull_request(owner, repo, pull_number#, commit_title?, commit_message?, merge_method?=merge|squash|rebase) Merges a pull request.
get_pull_request_files(owner, repo, pull_number#) Lists the files that a pull request changes, with their patches.
review_pull_request(owner, repo, pull_number#, body, event=APPROVE|REQUEST_CHANGES|COMMENT, comments?[]) Reviews a pull request with remarks on single lines.
search_code(q, sort?, order?=asc|desc, page?#, per_page?#) Searches through the code of all repositories.
get_file_contents(owner, repo, path, branch?) Gets the text of a file or the entries of a folder.
push_files(owner, repo, branch, files[], message) Puts several files into a repository in one commit.
create_branch(owner, repo, branch, from_branch?) Makes a new branch.
list_commits(owner, repo, sha?, page?#, per_page?#) Lists the commits of a branch.
fork_repository(owner, repo, organization?) Forks a repository to your account or to an organization.`,
  },
  'disk-tools': {
    title: 'Files on this computer',
    about: 'file',
    lines: `
read_file(path, head?#, tail?#, encoding?) Read the complete contents of a file from the file system as text, with the choice of only its first or last lines; works within the allowed folders alone.
read_many_files(paths[]) Reads several files at once.
write_file(path, content) Creates a file or replaces the one that is there.
edit_file(path, edits[], dry_run?~) Replaces exact lines of a text file and shows the difference.
make_directory(path) Creates a folder with all that lie above it.
list_directory(path, with_sizes?~, sort_by?=name|size) Lists what is in a folder.
directory_tree(path, exclude_patterns?[]) Gives everything below a folder as a tree in JSON.
move_file(source, destination) Moves or renames a file or folder.
search_files(path, pattern, exclude_patterns?[]) Finds files whose names match a pattern.
get_file_info(path) Tells size, times and permissions of a file.
list_allowed_directories() Lists the folders that may be used.`,
  },
  'version-control': {
    title: 'Version control in a folder',
    about: 'commit',
    lines: `
status(path, include_untracked?~) Shows which files of the working tree are changed, staged or new.
diff(path, target?, source?, staged?~, name_only?~, context_lines?#) Shows the difference between commits, or between a commit and the working tree.
commit(path, message, author?{}, amend?~, allow_empty?~, sign?~, files_to_stage?[]) Records the staged changes.
log(path, max_count?#, skip?#, since?, until?, author?, grep?, file_path?, oneline?~) Lists commits with author, date and message.
checkout(path, target, create_branch?~, force?~, track?~) Switches to a branch or commit.
merge(path, branch, strategy?=ours|theirs|recursive, no_fast_forward?~, squash?~, message?) Merges a branch into the current one.
rebase(path, mode?=start|continue|abort|skip, upstream?, branch?, onto?) Replays commits on another base.
stash(path, mode=list|push|pop|drop, message?, include_untracked?~) Puts changes aside for a while.
tag(path, mode=list|create|delete, tag_name?, message?, commit?) Lists, makes or deletes tags.
blame(path, file, start_line?#, end_line?#) Tells who last changed each line of a file.
push(path, remote?, branch?, force?~, set_upstream?~, tags?~) Sends commits to a remote.
pull(path, remote?, branch?, rebase?~) Fetches commits from a remote and joins them.`,
  },
  postgres: {
    title: 'PostgreSQL database',
    about: 'table',
    lines: `
query(sql, parameters?[], max_rows?#, timeout_ms?#) Runs a read-only SQL query and gives the rows.
execute(sql, parameters?[], in_transaction?~) Runs SQL that changes data.
list_tables(schema?, include_views?~) Lists the tables of a schema.
describe_table(table, schema?) Tells columns, types, keys and indexes of a table.
explain_query(sql, analyze?~, buffers?~, verbose?~, format?=text|json|xml|yaml) Shows how the database would run a query.
create_index(table, columns[], name?, unique?~, method?=btree|hash|gin|gist, where?, concurrently?~) Makes an index.
get_slow_queries(limit?#, min_duration_ms?#, order_by?=mean|total|calls) Lists the statements that take longest, with calls, mean time and share of the whole.
manage_users(operation=create|drop|alter|grant|revoke|list, user_name?, password?, superuser?~, createdb?~, login?~, privileges?[], target?, target_type?=table|schema|database|sequence, valid_until?, connection_limit?#) Manages the users of the database and what they may do: creates, drops and alters them, and grants and revokes privileges on tables, schemas and other objects.
copy_between(source, destination, table, where?, truncate?~) Copies rows from one database to another.`,
  },
  docstore: {
    title: 'Docstore documents',
    about: 'document',
    lines: `
find(database, collection, filter?{}, projection?{}, sort?{}, limit?#, skip?#) Finds documents of a collection.
aggregate(database, collection, pipeline[], allow_disk_use?~) Runs an aggregation.
insert_many(database, collection, documents[], ordered?~) Puts documents into a collection.
update_many(database, collection, filter{}, update{}, upsert?~) Changes all documents that match.
delete_many(database, collection, filter{}) Deletes all documents that match.
list_collections(database) Lists the collections of a database.
collection_schema(database, collection, sample_size?#) Works out which fields the documents have.
collection_indexes(database, collection) Lists the indexes.`,
  },
  'web-search': {
    title: 'Web search',
    about: 'web page',
    lines: `
web_search(query, count?#, country?, language?, freshness?=day|week|month|year, safe?~, include_domains?[], exclude_domains?[]) Search the web for current information, news, opinions and facts, and get titles, links and short extracts of the best pages.
news_search(query, count?#, since?) Searches the news.
image_search(query, count?#, size?=small|medium|large, licence?) Finds pictures on the web.
extract_page(urls[], depth?=basic|advanced, format?=markdown|text, include_images?~) Gets the readable text of web pages.
crawl_site(url, max_depth?#, max_breadth?#, limit?#, instructions?, select_paths?[], exclude_paths?[], allow_external?~) Follows the links of a site and gives the text of its pages.
map_site(url, max_depth?#, limit?#) Lists the addresses of a site.`,
  },
  fetcher: {
    title: 'Fetcher',
    about: 'address',
    lines: `
fetch_html(url, headers?{}) Fetches a page as HTML.
fetch_markdown(url, headers?{}, max_length?#, start_index?#) Fetches a page and turns it into Markdown.
fetch_json(url, headers?{}) Fetches JSON from an address.
http_request(url, method?=GET|POST|PUT|PATCH|DELETE, headers?{}, body?, timeout_ms?#, follow_redirects?~) Makes any HTTP request and gives status, headers and body.`,
  },
  'browser-driver': {
    title: 'Browser driver',
    about: 'browser page',
    lines: `
browser_navigate(url, wait_until?=load|idle|commit) Opens an address in the browser.
browser_click(element, ref, double_click?~, button?=left|right|middle, modifiers?[]) Clicks on something in the page.
browser_type(element, ref, text, submit?~, slowly?~) Types text into a field.
browser_snapshot(filename?, depth?#) Takes a snapshot of the page by its accessible names, which is better than a picture.
browser_take_screenshot(type?=png|jpeg, filename?, element?, ref?, full_page?~) Takes a picture of the page.
browser_fill_form(fields[]) Fills several fields of a form.
browser_select_option(element, ref, values[]) Chooses in a list.
browser_evaluate(function, element?, ref?) Runs JavaScript in the page.
browser_wait_for(time?#, text?, text_gone?) Waits for a text to appear or to go, or for a time.
browser_tabs(action=list|new|close|select, index?#) Lists, opens, closes and selects tabs.
browser_network_requests(include_static?~, filter?) Lists the requests since the page was loaded.
browser_console_messages(level?=error|warning|info|debug) Gives what the page wrote to its console.
browser_handle_dialog(accept~, prompt_text?) Answers a dialog.
browser_file_upload(paths?[]) Uploads files.
browser_close() Closes the page.`,
  },
  shell: {
    title: 'Shell',
    about: 'command',
    lines: `
run_command(command, cwd?, timeout_ms?#, env?{}, background?~) Runs a command of the shell.
run_script(interpreter, script, cwd?) Runs a script.
list_processes(filter?) Lists running processes.
kill_process(pid#, signal?) Ends a process.
read_output(process_id, since_line?#) Reads what a command in the background has printed.`,
  },
  'remote-servers': {
    title: 'Remote servers over SSH',
    about: 'remote server',
    lines: `
ssh_execute(server, command, cwd?, timeout#, sudo?~) Runs a command on a remote server.
ssh_upload(server, local_path, remote_path) Copies a file to a remote server.
ssh_download(server, remote_path, local_path) Copies a file from a remote server.
ssh_sync(server, source, destination, exclude?[], dry_run?~, delete?~, compress?~, verbose?~, checksum?~, timeout?#) Brings a local and a remote folder into step, sending only what differs.
ssh_tail(server, file, lines?#, follow?~, grep?) Shows the end of a remote log file.
ssh_monitor(server, type?=overview|cpu|memory|disk|network|process, interval?#, duration?#) Watches the resources of a remote server.
ssh_tunnel_create(server, type=local|remote|dynamic, local_port#, remote_host?, remote_port?#) Opens a tunnel.
ssh_backup_create(server, type=database|files|full, name, database?, paths?[], exclude?[], retention?#, compress?~) Backs up databases or files of a remote server.
ssh_service_status(server, services[]) Tells whether services run.
ssh_list_servers() Lists the servers that are set up.`,
  },
  kubernetes: {
    title: 'Kubernetes clusters',
    about: 'cluster object',
    lines: `
kubectl_get(resource_type, name?, namespace?, output?=json|yaml|wide|name, all_namespaces?~, label_selector?, field_selector?, sort_by?, context?) Gets objects of a cluster.
kubectl_describe(resource_type, name, namespace?, context?) Describes an object of a cluster.
kubectl_apply(manifest?, filename?, namespace?, dry_run?~, force?~, context?) Applies a manifest.
kubectl_delete(resource_type?, name?, namespace?, label_selector?, force?~, grace_period_seconds?#, context?) Deletes objects of a cluster.
kubectl_logs(resource_type, name, namespace?, container?, tail?#, since?, since_time?, timestamps?~, previous?~, label_selector?, context?) Gets the log of pods, jobs and deployments.
kubectl_scale(name, replicas#, namespace?, resource_type?, context?) Scales a deployment.
kubectl_rollout(sub_command=history|pause|restart|resume|status|undo, resource_type=deployment|daemonset|statefulset, name, namespace?, revision?#, to_revision?#, timeout?, watch?~) Manages the rollout of a deployment.
install_helm_chart(name, chart, namespace, repo?, values?{}, values_file?, create_namespace?~) Installs a chart.
exec_in_pod(name, command, namespace?, container?, timeout?#) Runs a command inside a pod.
port_forward(resource_type, resource_name, local_port#, target_port#, namespace?) Forwards a local port into the cluster.`,
  },
  containers: {
    title: 'Containers',
    about: 'container',
    lines: `
list_containers(all?~, filters?{}) Lists containers.
run_container(image, name?, command?, ports?{}, volumes?{}, environment?{}, labels?{}, network?, auto_remove?~, detach?~) Creates and starts a container.
stop_container(container_id, timeout?#) Stops a container.
remove_container(container_id, force?~) Removes a container.
container_logs(container_id, tail?#, since?) Gets the log of a container.
build_image(path, tag, dockerfile?, build_args?{}) Builds an image.
list_images(name?, all?~) Lists images.`,
  },
  stratus: {
    title: 'Stratus cloud',
    about: 'cloud resource',
    lines: `
list_buckets(region?) Lists the storage buckets of the account.
put_object(bucket, key, body, content_type?, metadata?{}, storage_class?=standard|infrequent|archive) Stores an object.
get_object(bucket, key, range?, version_id?) Reads an object.
list_instances(region?, state?=running|stopped|any, tags?{}) Lists virtual machines.
start_instance(instance_id) Starts a virtual machine.
stop_instance(instance_id, hibernate?~, force?~) Stops a virtual machine.
invoke_function(function_name, payload?{}, invocation?=sync|async|dry, qualifier?) Calls a function without a server.
get_costs(start, end, granularity?=daily|monthly, group_by?[], metrics?[]) Tells what was spent, by service, account or tag, day by day or month by month.
update_dns_record(zone, name, type=A|AAAA|CNAME|MX|TXT, value, ttl?#) Creates or changes a record of a DNS zone.
create_alarm(name, metric, threshold#, comparison=above|below, period_seconds?#, notify?[]) Creates an alarm on a metric.`,
  },
  watchtower: {
    title: 'Watchtower monitoring',
    about: 'metric',
    lines: `
query_metrics(query, from, to?, interval?) Queries time series.
search_logs(query, from?, to?, limit?#, sort?=newest|oldest, indexes?[], cursor?) Searches logs by a query, for example service:web status:error, and gives the entries with their attributes.
list_monitors(tags?[], state?=ok|warn|alert|none) Lists monitors and whether they are in alarm.
mute_monitor(monitor_id#, until?, reason?) Silences a monitor for a time.
get_trace(trace_id) Gets all spans of a trace.
list_incidents(state?=active|stable|resolved, page_size?#) Lists incidents.
create_dashboard(title, widgets[], description?, layout?=ordered|free) Creates a dashboard.
list_errors(project, query?, period?=1h|24h|7d|30d, environment?) Lists errors of applications, most frequent first.`,
  },
  'memory-graph': {
    title: 'Memory as a graph',
    about: 'entity',
    lines: `
create_entities(entities[]) Remembers new entities.
create_relations(relations[]) Remembers how entities belong together.
add_observations(observations[]) Adds facts to entities.
delete_entities(entity_names[]) Forgets entities with all that belongs to them.
search_nodes(query) Searches what is remembered.
open_nodes(names[]) Gives chosen entities.
read_graph() Gives everything that is remembered.`,
  },
  'key-keeper': {
    title: 'Key keeper',
    about: 'secret',
    lines: `
list_secrets(path?, recursive?~) Lists the names of secrets.
read_secret(path, version?#) Reads a secret.
write_secret(path, data{}, check_and_set?#) Writes a new version of a secret.
rotate_key(key_name, grace_hours?#) Replaces a key by a new one.
create_user(user_name, email, roles?[], must_change_password?~) Creates an account.
list_audit_events(user?, action?, from?, to?, limit?#) Lists who did what and when.`,
  },
};
