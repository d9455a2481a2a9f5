/** Made-up servers around people and documents, in the short form that `made-up-tools.ts` reads. */

import type { MadeUpServer } from './made-up-tools.ts';

export const officeServers: Readonly<Record<string, MadeUpServer>> = {
  tracker: {
    title: 'Tracker for work items',
    about: 'work item',
    lines: `
search_items(query, project?, status?=todo|doing|done|blocked, assignee?, max_results?#) Searches work items by a query in the tracker's own language, with fields such as project, status, assignee and sprint, and gives their keys and summaries.
get_item(item_key, fields?[], expand?[]) Gets a work item with all its fields.
create_item(project, kind=bug|story|task|epic, summary, description?, priority?=low|medium|high|urgent, assignee?, labels?[], parent?, custom_fields?{}) Creates a work item.
update_item(item_key, fields{}, notify_watchers?~) Changes fields of a work item.
transition_item(item_key, transition, comment?) Moves a work item to another status of its workflow.
add_worklog(item_key, time_spent, started?, comment?) Books working time on a work item.
list_sprints(board#, state?=active|future|closed) Lists the sprints of a board.
add_items_to_sprint(sprint#, item_keys[]) Moves work items into a sprint.
link_items(inward, outward, link_type) Links two work items.
delete_item(item_key, delete_subtasks?~) Deletes a work item for good.`,
  },
  'team-chat': {
    title: 'Team chat',
    about: 'channel',
    lines: `
post_message(channel_id, text, thread?, blocks?[], unfurl_links?~) Posts a message to a channel.
reply_to_thread(channel_id, thread, text, broadcast?~) Answers in a thread.
list_channels(types?=public|private|direct, limit?#, cursor?) Lists the channels that you can see.
get_channel_history(channel_id, oldest?, latest?, limit?#) Gets the latest messages of a channel.
add_reaction(channel_id, timestamp, reaction) Puts an emoji on a message.
get_users(limit?#, cursor?) Lists the people of the workspace with their names and states.
upload_attachment(channel_id, filename, content, comment?) Shares a file in a channel.
search_messages(query, sort?=score|timestamp, count?#) Searches messages in all channels you are in.
schedule_message(channel_id, text, post_at#) Posts a message later.`,
  },
  postbox: {
    title: 'Postbox e-mail',
    about: 'e-mail',
    lines: `
send_email(to[], subject, body, cc?[], bcc?[], attachments?[], reply_to?, is_html?~) Sends an e-mail.
draft_email(to[], subject, body, cc?[]) Writes a draft without sending it.
search_emails(query, folder?, has_attachment?~, after?, before?, max_results?#) Searches the mailbox, for example by sender, subject or words of the text.
read_email(message_id, format?=text|html|raw) Reads one e-mail with its headers and text.
reply_email(message_id, body, reply_all?~) Answers an e-mail.
move_email(message_id, folder) Moves an e-mail to a folder.
delete_email(message_id, permanently?~) Deletes an e-mail.
list_folders() Lists the folders of the mailbox.
create_filter(criteria{}, action{}) Creates a rule that sorts incoming mail.
download_attachment(message_id, attachment_id, save_to) Saves an attachment to disk.`,
  },
  dayplan: {
    title: 'Dayplan calendar',
    about: 'appointment',
    lines: `
create_event(calendar_id, summary, start, end, location?, description?, attendees?[], recurrence?, reminders?{}, time_zone?, conference?~) Puts an appointment into a calendar.
list_events(calendar_id, time_min?, time_max?, q?, max_results?#, single_events?~, order_by?=start|updated) Lists appointments between two points in time.
update_event(calendar_id, event_id, summary?, start?, end?, location?, attendees?[], send_updates?=all|external|none) Changes an appointment.
delete_event(calendar_id, event_id, send_updates?=all|external|none) Cancels an appointment.
find_free_time(calendars[], time_min, time_max, duration_minutes#) Finds times at which everybody is free.
respond_to_event(calendar_id, event_id, response=accepted|declined|tentative, comment?) Answers an invitation.
list_calendars() Lists the calendars that you can see.`,
  },
  paydesk: {
    title: 'Paydesk payments',
    about: 'payment',
    lines: `
create_customer(name, email?, phone?, address?{}, metadata?{}) Creates a customer.
create_invoice(customer, days_until_due?#, description?, auto_advance?~) Creates an invoice.
add_invoice_item(customer, price, invoice?, quantity?#) Adds an item to an invoice.
list_payments(customer?, limit?#, created_after?, status?=succeeded|pending|failed) Lists payments.
create_refund(payment, amount?#, reason?=duplicate|fraudulent|requested) Pays money back.
create_payment_link(price, quantity#, redirect_url?) Makes a link by which somebody can pay.
list_subscriptions(customer?, price?, status?=active|canceled|past_due|all, limit?#) Lists subscriptions.
cancel_subscription(subscription, at_period_end?~) Ends a subscription.
get_balance() Tells what is in the account.`,
  },
  clientbook: {
    title: 'Clientbook sales contacts',
    about: 'contact',
    lines: `
search_contacts(query, properties?[], limit?#, after?) Searches people and companies.
create_contact(email, first_name?, last_name?, company?, phone?, lifecycle_stage?=lead|opportunity|customer) Creates a contact.
update_contact(contact_id, properties{}) Changes a contact.
create_deal(name, stage, amount?#, close_date?, contact_ids?[], owner?) Creates a deal.
list_deals(stage?, owner?, min_amount?#) Lists deals by their stage.
log_activity(contact_id, type=call|meeting|note|email, text, at?) Notes what happened with a contact.
merge_contacts(primary_id, secondary_id) Makes one contact of two.`,
  },
  notebook: {
    title: 'Notebook pages',
    about: 'page',
    lines: `
search_pages(query, filter?=page|database, sort?=newest|oldest, page_size?#, start_cursor?) Searches pages and databases by their titles.
get_page(page_id, filter_properties?[]) Gets a page with its properties.
create_page(parent_id, title, content?, properties?{}, icon?, cover?) Creates a page.
append_blocks(block_id, children[], after?) Adds text, lists and other blocks to the end of a page.
update_page(page_id, properties?{}, archived?~, icon?) Changes the properties of a page.
query_database(database_id, filter?{}, sorts?[], page_size?#, start_cursor?) Gives the rows of a database that match a filter.
create_comment(page_id, text) Comments on a page.
list_users() Lists the people of the workspace.`,
  },
  'shared-drive': {
    title: 'Shared drive',
    about: 'document',
    lines: `
search_drive(query, page_size?#, page_token?, mime_type?) Searches the files of the drive.
read_document(file_id, as?=markdown|text|pdf) Reads a document.
create_document(title, content, folder_id?) Creates a document.
share_file(file_id, email, role=reader|commenter|writer|owner, notify?~, message?) Shares a file with somebody.
copy_document(file_id, title?, folder_id?) Copies a document.
list_permissions(file_id) Tells who can see a file.
trash_file(file_id) Puts a file into the bin.`,
  },
  'sheet-works': {
    title: 'Spreadsheets',
    about: 'spreadsheet',
    lines: `
read_range(spreadsheet_id, range, render?=values|formulas) Reads cells.
update_cells(spreadsheet_id, range, values[], input_option?=raw|entered) Writes cells.
append_rows(spreadsheet_id, sheet, rows[]) Adds rows at the end.
create_sheet(spreadsheet_id, title, rows?#, columns?#) Adds a sheet.
create_chart(spreadsheet_id, data_range, kind=bar|line|pie|scatter, title?, anchor_cell?) Draws a chart.
apply_formula(spreadsheet_id, cell, formula) Puts a formula into a cell.
format_cells(spreadsheet_id, range, bold?~, italic?~, color?, background?, number_format?, border?, alignment?=left|center|right) Changes how cells look.`,
  },
  'pdf-bench': {
    title: 'PDF workbench',
    about: 'PDF',
    lines: `
read_pdf(source, pages?, include_images?~, include_metadata?~) Reads the text of a PDF.
merge_pdfs(sources[], output) Joins several PDFs.
split_pdf(source, ranges[], output_folder) Takes a PDF apart.
fill_pdf_form(source, fields{}, output, flatten?~) Fills the form of a PDF.
ocr_pdf(source, languages?[], output?) Recognizes text in scanned pages.`,
  },
  'drawing-board': {
    title: 'Drawing board',
    about: 'design',
    lines: `
get_design(file_key, node_id?, depth?#) Gets the layers of a design with their layout, colours and texts.
export_images(file_key, nodes[], local_path, scale?#, format?=png|svg|jpg) Saves parts of a design as pictures.
get_comments(file_key, as_markdown?~) Lists the comments on a design.
post_comment(file_key, message, node_id?, x?#, y?#) Comments on a design.
list_components(file_key) Lists the reusable parts of a design.`,
  },
  'chart-maker': {
    title: 'Chart maker',
    about: 'chart',
    lines: `
generate_line_chart(data[], title?, axis_x_title?, axis_y_title?, stack?~, width?#, height?#, theme?=default|academy|dark, style?{}) Generate a line chart to show how a value changes over time, such as the share of a market or the sales of each month, with one line for each group.
generate_bar_chart(data[], title?, axis_x_title?, axis_y_title?, group?~, stack?~, width?#, height?#, theme?=default|academy|dark, style?{}) Generate a bar chart to compare a value between categories, side by side or stacked.
generate_pie_chart(data[], title?, inner_radius?#, width?#, height?#, theme?=default|academy|dark, style?{}) Generate a pie chart that shows the parts of a whole.
generate_scatter_chart(data[], title?, axis_x_title?, axis_y_title?, width?#, height?#, theme?=default|academy|dark, style?{}) Generate a scatter chart that shows how two values belong together.
generate_flow_diagram(data{}, width?#, height?#, theme?=default|academy|dark) Generate a flow diagram of the steps and decisions of a process.
generate_word_cloud(data[], title?, width?#, height?#, theme?=default|academy|dark) Generate a word cloud.
generate_map(title, markers[], width?#, height?#) Generate a map with places on it.
generate_mind_map(data{}, width?#, height?#, theme?=default|academy|dark) Generate a mind map.`,
  },
  'place-finder': {
    title: 'Place finder',
    about: 'place',
    lines: `
geocode(address, country?, limit?#, language?) Turns an address into coordinates.
reverse_geocode(longitude#, latitude#, types?[], limit?#) Turns coordinates into an address.
search_places(query, near?{}, radius_meters?#, category?, open_now?~, min_rating?#) Finds shops, restaurants and other places.
directions(waypoints[], profile?=driving|walking|cycling, alternatives?~, avoid?[], depart_at?) Finds the way between places with times and turns.
travel_times(origins[], destinations[], profile?=driving|walking|cycling) Tells how long it takes between many places.
weather_forecast(latitude#, longitude#, days?#, units?=metric|imperial) Tells the weather of the next days.
time_zone_at(longitude#, latitude#) Tells the time zone of a place.`,
  },
  'media-shelf': {
    title: 'Media shelf',
    about: 'recording',
    lines: `
get_transcript(url, language?, timestamps?~) Gets what is said in a video.
search_videos(query, max_results?#, order?=date|rating|relevance|views, duration?=short|medium|long) Searches videos.
play_track(uri?, device?, position_ms?#) Plays music.
create_playlist(name, description?, public?~, tracks?[]) Makes a playlist.
convert_audio(source, format=mp3|wav|flac|ogg, bitrate?#, output?) Converts a recording.
generate_image(prompt, size?=small|medium|large, style?, seed?#, negative_prompt?, count?#) Makes a picture from words.
remove_background(source, output) Cuts out what is in front of a picture.`,
  },
};
