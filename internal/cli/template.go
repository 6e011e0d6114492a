package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/parleyhq/parley/client"
	"github.com/parleyhq/parley/internal/chat"
)

type templateCommands struct {
	List    templateListCommand    `cmd:"" help:"List a number's templates."`
	Sync    templateSyncCommand    `cmd:"" help:"Read a number's templates from the provider now. The service does it by itself every few hours."`
	Preview templatePreviewCommand `cmd:"" help:"Show what a recipient would see of a template."`
}

type templateListCommand struct {
	Status   string `default:"all" placeholder:"STATUS" enum:"approved,pending,rejected,all" help:"approved, pending, rejected or all."`
	Language string `placeholder:"CODE" help:"Only this language."`
	apiFlags `embed:""`
}

func (cmd *templateListCommand) Run(c *console, api *client.Client) error {
	var rows []record
	filter := client.TemplateFilter{Status: client.TemplateStatus(cmd.Status), Language: cmd.Language, PageOptions: client.PageOptions{Limit: 100}}
	for t, err := range api.Templates(c.ctx, cmd.From, filter) {
		if err != nil {
			return cmd.explain(err)
		}
		rows = append(rows, templateRecord(t))
	}
	return cmd.output().printTable(c.stdout, rows, "name", "language", "status", "category", "header", "variables", "content")
}

func templateRecord(t client.MessageTemplate) record {
	return record{
		{"name", t.Name}, {"language", t.Language}, {"status", string(t.Status)}, {"provider_status", t.ProviderStatus},
		{"category", string(t.Category)}, {"header", headerOf(t)}, {"variables", strings.Join(t.Variables, ", ")}, {"content", t.Content},
	}
}

// headerOf is the kind of file or place that a message of the template needs at its top; nil if it needs none.
func headerOf(t client.MessageTemplate) any {
	var parts []client.TemplatePart
	_ = json.Unmarshal(t.Components, &parts) // a shape that this program does not know has no header that it could name
	for _, part := range parts {
		if strings.EqualFold(part.Type, "HEADER") && part.Format != "" && !strings.EqualFold(part.Format, "TEXT") {
			return strings.ToLower(part.Format)
		}
	}
	return nil
}

type templateSyncCommand struct {
	apiFlags `embed:""`
}

func (cmd *templateSyncCommand) Run(c *console, api *client.Client) error {
	done, err := api.SyncTemplates(c.ctx, cmd.From)
	if err != nil {
		return cmd.explain(err)
	}
	return cmd.output().printOne(c.stdout, record{
		{"created", done.Created}, {"updated", done.Updated}, {"removed", done.Removed}, {"synced", done.Synced},
	})
}

type templatePreviewCommand struct {
	Name     string   `arg:"" help:"The template's name."`
	Language string   `placeholder:"CODE" help:"Its language. Without it, the newest."`
	Param    []string `sep:"none" placeholder:"TEXT" help:"Fills the next placeholder of the body. Repeatable; the others show their samples."`
	apiFlags `embed:""`
}

func (cmd *templatePreviewCommand) Run(c *console, api *client.Client) error {
	found, err := api.GetTemplate(c.ctx, cmd.From, cmd.Name, client.TemplateVariant{Language: cmd.Language})
	if err != nil {
		return cmd.explain(err)
	}
	t := chat.Template{Name: found.Name, Language: found.Language, Format: found.ParameterFormat, Components: found.Components, Category: new(string(found.Category))}
	content, err := t.Sample(cmd.Param...)
	if err != nil {
		return fmt.Errorf("the template has parts that cannot be shown: %w", err)
	}
	preview, refusal := t.Fill(content)
	if refusal != nil {
		return refusal
	}
	if cmd.JSON {
		return cmd.output().printOne(c.stdout, record{{"name", t.Name}, {"language", t.Language}, {"preview", preview}})
	}
	_, err = fmt.Fprintln(c.stdout, preview.Text())
	return err
}
